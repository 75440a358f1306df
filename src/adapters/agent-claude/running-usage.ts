import type { AgentSign, Usage } from "../../schema/agent.ts";
import type { AssistantLine, ClaudeLine, PartTokens, StreamLine } from "./claude-line.ts";

/** What a line adds to what is known of the calls to the model. */
export type CallUsage = {
  /** What was used so far; null when this line adds nothing. */
  readonly usage: Usage | null;
  /** True for the first that is heard of a call. */
  readonly isNew: boolean;
};

export interface RunningUsage {
  add(line: AssistantLine | StreamLine): CallUsage;
  /** What was used so far; null when nothing was told. */
  total(): Usage | null;
}

type Tokens = { readonly input: number; readonly output: number };

/**
 * Adds up the calls to the model while they are made. What an answer has in the end is told when it is whole, so one
 * that was cut off counts with less than was served. The cost comes with the result.
 */
export function createRunningUsage(): RunningUsage {
  const calls = new Map<string, Tokens>();
  /** The answer that is being written, by the sub-agent it is for. */
  const current = new Map<string, string>();

  const total = (): Usage | null => {
    if (calls.size === 0) return null;
    const sum = [...calls.values()].reduce((one, other) => ({
      input: one.input + other.input,
      output: one.output + other.output,
    }));
    return { ...sum, usd: null };
  };
  const count = (id: string | undefined, usage: PartTokens | null | undefined): CallUsage => {
    if (id === undefined || !usage) return NOTHING;
    const before = calls.get(id);
    const now = largest(before ?? { input: 0, output: 0 }, toTokens(usage));
    const isNew = before === undefined && now.input + now.output > 0;
    if (!isNew && (before === undefined || (now.input === before.input && now.output === before.output)))
      return NOTHING;
    calls.set(id, now);
    return { usage: total(), isNew };
  };
  return {
    total,
    add: (line) => {
      if (line.type === "assistant") return count(line.message.id, line.message.usage);
      const { event, parent_tool_use_id: parent } = line;
      if (event.type === "message_delta") return count(current.get(parent ?? ""), event.usage);
      current.set(parent ?? "", event.message.id);
      return count(event.message.id, event.message.usage);
    },
  };
}

const NOTHING: CallUsage = { usage: null, isNew: false };

function toTokens(usage: PartTokens): Tokens {
  const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return { input: (fresh ?? 0) + (read ?? 0) + (written ?? 0), output: usage.output_tokens ?? 0 };
}

/** Figures of one call only grow; the later ones leave some out. */
const largest = (one: Tokens, other: Tokens): Tokens => ({
  input: Math.max(one.input, other.input),
  output: Math.max(one.output, other.output),
});

/** What a line says about how the work goes; undefined for most. */
export function readSign(line: ClaudeLine, isNewCall: boolean): AgentSign | undefined {
  if (isNewCall) return { is: "call" };
  if (line.type === "user") return line.message.content.some(isResult) ? { is: "work" } : undefined;
  if (line.type !== "system" || line.subtype !== "api_retry") return undefined;
  const { error_status: status, error } = line;
  return { is: "trouble", what: typeof status === "number" ? `service error ${status}` : (error ?? "no answer") };
}

/** What a tool refused or could not do brings the work no further. */
const isResult = ({
  type,
  is_error: isError,
}: {
  readonly type: string;
  readonly is_error?: boolean | null | undefined;
}): boolean => type === "tool_result" && isError !== true;
