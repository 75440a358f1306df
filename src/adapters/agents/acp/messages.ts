import * as z from "zod/mini";

/**
 * Messages of an agent, reduced to the fields used here. Schemas are loose: agents add fields and omit unknown ones.
 */

export const PROTOCOL_VERSION = 1;

export const Initialized = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z._default(z.object({ loadSession: z._default(z.boolean(), false) }), { loadSession: false }),
});

const Modes = z.object({ availableModes: z.array(z.object({ id: z.string() })) });
/** Some agents list modes among other options. */
const ModeChoice = z.object({
  id: z.string(),
  category: z.literal("mode"),
  options: z.array(z.object({ value: z.string() })),
});
const ModelChoice = z.object({
  id: z.string(),
  category: z.literal("model"),
  currentValue: z.optional(z.nullable(z.string())),
  options: z.array(z.object({ value: z.string() })),
});
const Choice = z.union([
  ModeChoice,
  ModelChoice,
  z.pipe(
    z.unknown(),
    z.transform(() => null),
  ),
]);
const opened = { modes: z.optional(z.nullable(Modes)), configOptions: z.optional(z.nullable(z.array(Choice))) };
export const LoadedSession = z._default(z.nullable(z.object(opened)), null);
export const NewSession = z.object({ sessionId: z.string(), ...opened });

/** Optional part: an unreadable value counts as not reported. */
const orNull = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.optional(
    z.union([
      schema,
      z.pipe(
        z.unknown(),
        z.transform(() => null),
      ),
    ]),
  );

const count = z.number().check(z.nonnegative());
const Tokens = z.object({
  inputTokens: count,
  outputTokens: count,
  cachedReadTokens: z.optional(z.nullable(count)),
  cachedWriteTokens: z.optional(z.nullable(count)),
});
const Quota = z.object({ quota: z.object({ token_count: z.object({ input_tokens: count, output_tokens: count }) }) });

export const PromptResult = z.object({
  stopReason: z.string(),
  usage: orNull(Tokens),
  /** Token counts of Gemini CLI. */
  _meta: orNull(Quota),
});
export type PromptResult = z.infer<typeof PromptResult>;

const FileLocation = z.object({ path: z.string() });
const Content = z.looseObject({ type: z.string(), path: z.optional(z.string()) });

/** One tool call. Later messages about it contain only changed fields. */
export const ToolCall = z.object({
  toolCallId: z.string(),
  title: z.optional(z.nullable(z.string())),
  kind: z.optional(z.nullable(z.string())),
  status: z.optional(z.nullable(z.string())),
  locations: orNull(z.array(FileLocation)),
  content: orNull(z.array(Content)),
  rawInput: z.optional(z.unknown()),
});
export type ToolCall = z.infer<typeof ToolCall>;

const Chunk = z.object({
  sessionUpdate: z.literal("agent_message_chunk"),
  content: z.looseObject({ type: z.string(), text: z.optional(z.string()) }),
  messageId: z.optional(z.nullable(z.string())),
});
const ToolUpdate = z.extend(ToolCall, { sessionUpdate: z.enum(["tool_call", "tool_call_update"]) });
export type UsageUpdate = z.infer<typeof UsageUpdate>;
const UsageUpdate = z.object({
  sessionUpdate: z.literal("usage_update"),
  cost: z.optional(z.nullable(z.object({ amount: count, currency: z.string() }))),
});

const Update = z.object({ sessionId: z.string(), update: z.union([Chunk, ToolUpdate, UsageUpdate]) });
type SessionUpdate = z.infer<typeof Update>["update"];

export const PermissionRequest = z.object({
  toolCall: ToolCall,
  options: z.array(z.object({ optionId: z.string(), kind: z.string() })),
});
export type PermissionRequest = z.infer<typeof PermissionRequest>;

/** Returns null for updates of other kinds and sessions. */
export function readUpdate(params: unknown, session: string | null): SessionUpdate | null {
  const read = z.safeParse(Update, params);
  return read.success && read.data.sessionId === session ? read.data.update : null;
}

/** Characters of one progress text. */
const MAX_ACP_PROGRESS_LENGTH = 200;
/** Characters kept of an unfinished line; more are never displayed. */
const MAX_MESSAGE_LINE_LENGTH = 4 * MAX_ACP_PROGRESS_LENGTH;

interface MessageProgress {
  push(text: string): void;
  /** Called at the end of a message. */
  finish(): void;
}

/** Shows a streamed message line by line, without the JSON result at its end. */
export function createMessageProgress(show: (text: string) => void): MessageProgress {
  let line = "";
  let isResult = false;
  const endLine = (): void => {
    isResult ||= /^\s*(?:```json|\{)/.test(line);
    const text = isResult ? "" : oneShortLine(line);
    line = "";
    if (text !== "") show(text);
  };
  return {
    push: (text) => {
      const [first = "", ...others] = text.split("\n");
      line = `${line}${first}`.slice(0, MAX_MESSAGE_LINE_LENGTH);
      for (const other of others) {
        endLine();
        line = other.slice(0, MAX_MESSAGE_LINE_LENGTH);
      }
    },
    finish: () => {
      endLine();
      isResult = false;
    },
  };
}

/** Describes a tool call in one line, with paths relative to `cwd`. */
export function callText({ title, kind, locations }: ToolCall, cwd: string): string {
  const inside = (text: string): string => text.replaceAll(`${cwd}/`, "");
  const name = inside(title ?? kind ?? "tool");
  const place = locations?.[0]?.path ?? cwd;
  const isTold = place === cwd || name.includes(inside(place));
  return oneShortLine(isTold ? name : `${name} ${inside(place)}`);
}

function oneShortLine(text: string): string {
  const line = text
    .slice(0, MAX_MESSAGE_LINE_LENGTH)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  return line.length > MAX_ACP_PROGRESS_LENGTH ? `${line.slice(0, MAX_ACP_PROGRESS_LENGTH - 1)}…` : line;
}
