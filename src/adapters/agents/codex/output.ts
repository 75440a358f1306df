import * as z from "zod/mini";

/** Usage since the first turn of the conversation. Input includes cached tokens. */
const Count = z.int().check(z.nonnegative());
const Tokens = z.object({ input_tokens: Count, output_tokens: Count });

/** Invalid counts are treated as missing; the turn still counts. */
const Unknown = z.pipe(
  z.unknown(),
  z.transform(() => null),
);

const ThreadStarted = z.object({ type: z.literal("thread.started"), thread_id: z.string() });
const TurnCompleted = z.object({
  type: z.literal("turn.completed"),
  usage: z.optional(z.nullable(z.union([Tokens, Unknown]))),
});
const TurnFailed = z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) });

/** Also printed before a retry: not a failure by itself. */
const ErrorLine = z.object({ type: z.literal("error"), message: z.string() });

const Item = z.discriminatedUnion("type", [
  z.object({ type: z.literal("agent_message"), text: z.string() }),
  z.object({
    type: z.literal("command_execution"),
    command: z.string(),
    aggregated_output: z.optional(z.nullable(z.string())),
    exit_code: z.optional(z.nullable(z.number())),
  }),
  z.object({ type: z.literal("file_change"), changes: z.array(z.object({ path: z.string(), kind: z.string() })) }),
  z.object({ type: z.literal("mcp_tool_call"), server: z.string(), tool: z.string() }),
  z.object({ type: z.literal("web_search"), query: z.string() }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);
export type Item = z.infer<typeof Item>;

const ItemLine = z.object({ type: z.enum(["item.started", "item.completed"]), item: Item });

const CodexLine = z.union([ThreadStarted, TurnCompleted, TurnFailed, ErrorLine, ItemLine]);
export type CodexLine = z.infer<typeof CodexLine>;
export type TurnEnd = Extract<CodexLine, { type: "turn.completed" | "turn.failed" }>;

/** Parses a line of the stream. Returns null for other kinds of lines: new kinds do no harm. */
export function readCodexLine(text: string): CodexLine | null {
  const line = z.safeParse(CodexLine, parseJson(text));
  return line.success ? line.data : null;
}

/** Returns null if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a warning printed between the lines, or a plain message
  }
}
