import * as z from "zod/mini";
import { inside, shorten } from "../../process/told-usage.ts";

const Tokens = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_input_tokens: z._default(z.number(), 0),
  cache_creation_input_tokens: z._default(z.number(), 0),
});
export type Tokens = z.infer<typeof Tokens>;

/** Partial usage, reported while an answer is written. Fields may be missing. */
const PartTokens = z.object({
  input_tokens: z.optional(z.nullable(z.number())),
  output_tokens: z.optional(z.nullable(z.number())),
  cache_read_input_tokens: z.optional(z.nullable(z.number())),
  cache_creation_input_tokens: z.optional(z.nullable(z.number())),
});
export type PartTokens = z.infer<typeof PartTokens>;

const ModelTokens = z.record(
  z.string(),
  z.object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadInputTokens: z._default(z.number(), 0),
    cacheCreationInputTokens: z._default(z.number(), 0),
    costUSD: z.optional(z.number()),
  }),
);
export type ModelTokens = z.infer<typeof ModelTokens>;

const Denial = z.object({ tool_name: z.string(), tool_input: z.optional(z.unknown()) });

/** End of a turn. A process may print several; the last one counts. */
const ResultLine = z.object({
  type: z.literal("result"),
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.optional(z.string()),
  errors: z.optional(z.array(z.string())),
  structured_output: z.optional(z.unknown()),
  api_error_status: z.optional(z.nullable(z.number())),
  session_id: z.string(),
  num_turns: z.optional(z.number()),
  total_cost_usd: z.optional(z.number()),
  usage: z.optional(Tokens),
  modelUsage: z.optional(ModelTokens),
  model_usage_since_last_result: z.optional(ModelTokens),
  permission_denials: z._default(z.array(Denial), []),
});
export type ResultLine = z.infer<typeof ResultLine>;

const Block = z.looseObject({
  type: z.string(),
  text: z.optional(z.string()),
  name: z.optional(z.string()),
  input: z.optional(z.unknown()),
});

/** Unreadable usage counts as not reported: the rest of the line is still displayed. */
const unread = z.pipe(
  z.unknown(),
  z.transform(() => null),
);

const Part = z.union([PartTokens, unread]);

/** Progress of a call to the model: reported at the start of its answer, and after its end with the final counts. */
const StreamLine = z.object({
  type: z.literal("stream_event"),
  event: z.discriminatedUnion("type", [
    z.object({
      type: z.literal("message_start"),
      message: z.object({ id: z.string(), usage: z.optional(Part) }),
    }),
    z.object({ type: z.literal("message_delta"), usage: z.optional(Part) }),
  ]),
  /** Tool call that runs a sub-agent, whose calls to the model are reported separately. */
  parent_tool_use_id: z.optional(z.nullable(z.string())),
});
export type StreamLine = z.infer<typeof StreamLine>;

/** Results of tools. */
const UserLine = z.object({
  type: z.literal("user"),
  message: z.object({
    content: z.array(z.looseObject({ type: z.string(), is_error: z.optional(z.nullable(z.boolean())) })),
  }),
});

const AssistantLine = z.object({
  type: z.literal("assistant"),
  message: z.object({
    id: z.optional(z.string()),
    content: z.array(Block),
    /** Usage of the call that produced this message, repeated with each part of the message. */
    usage: z.optional(z.union([Tokens, unread])),
  }),
});
export type AssistantLine = z.infer<typeof AssistantLine>;

const InitLine = z.object({ type: z.literal("system"), subtype: z.literal("init"), session_id: z.string() });

const RetryLine = z.object({
  type: z.literal("system"),
  subtype: z.literal("api_retry"),
  attempt: z.number(),
  max_retries: z.number(),
  error_status: z.optional(z.nullable(z.number())),
  error: z.optional(z.nullable(z.string())),
});

const ClaudeLine = z.union([ResultLine, AssistantLine, StreamLine, UserLine, InitLine, RetryLine]);
export type ClaudeLine = z.infer<typeof ClaudeLine>;

/** Parses a line of the stream. Returns null for other kinds of lines: new kinds do no harm. */
export function readClaudeLine(text: string): ClaudeLine | null {
  if (IS_PART.test(text)) return null;
  const line = z.safeParse(ClaudeLine, parseJson(text));
  return line.success ? line.data : null;
}

/** Fragments of an answer, by far the most lines. The whole answer follows. */
const IS_PART = /^\{"type":"stream_event","event":\{"type":"(?:content_block|ping)/;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a warning printed between the lines
  }
}

/** Arguments that describe a call, the most informative first. */
const TELLING = ["file_path", "notebook_path", "command", "pattern", "path", "url", "query", "description", "prompt"];

/** Describes a line in short texts for the user. */
export function progressTexts(line: ClaudeLine, cwd: string): string[] {
  if (line.type === "assistant") {
    return line.message.content.flatMap((block) => {
      if (block.type === "text") return shorten(block.text ?? "");
      const isWork = block.type === "tool_use" && block.name !== "StructuredOutput";
      return isWork ? describeCall(block.name ?? "tool", block.input, cwd) : [];
    });
  }
  if (line.type === "result") {
    return line.permission_denials.flatMap((denial) =>
      describeCall(`Not allowed: ${denial.tool_name}`, denial.tool_input, cwd),
    );
  }
  return [];
}

function describeCall(name: string, input: unknown, cwd: string): string[] {
  const given = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const telling = TELLING.map((key) => given[key]).find((value) => typeof value === "string");
  return shorten(typeof telling === "string" ? `${name} ${inside(telling, cwd)}` : name);
}
