import type { AgentSign, Usage } from "../../../schema/agent.ts";
import type { AssistantLine, ClaudeLine, PartTokens, StreamLine, ModelTokens, ResultLine } from "./output.ts";

/** Usage after a line, if the line adds any. */
export type CallUsage = {
  /** Total so far. Null if this line adds nothing. */
  readonly usage: Usage | null;
  /** True for the first report about a call. */
  readonly isNew: boolean;
};

export interface RunningUsage {
  add(line: AssistantLine | StreamLine): CallUsage;
  /** Returns the total so far. Null if none was reported. */
  total(): Usage | null;
}

type CountedTokens = { readonly input: number; readonly output: number };

/**
 * Adds up the calls to the model during an execution. The final count of an answer arrives when it is complete: an
 * aborted answer counts less than was served. The cost arrives with the result.
 */
export function createRunningUsage(): RunningUsage {
  const calls = new Map<string, CountedTokens>();
  /** Id of the answer being written, by sub-agent. */
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

function toTokens(usage: PartTokens): CountedTokens {
  const { input_tokens: fresh, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return { input: (fresh ?? 0) + (read ?? 0) + (written ?? 0), output: usage.output_tokens ?? 0 };
}

/** Counts of one call only grow; later reports omit some. */
const largest = (one: CountedTokens, other: CountedTokens): CountedTokens => ({
  input: Math.max(one.input, other.input),
  output: Math.max(one.output, other.output),
});

/** Returns the sign of progress or trouble in a line; undefined for most lines. */
export function readSign(line: ClaudeLine, isNewCall: boolean): AgentSign | undefined {
  if (isNewCall) return { is: "call" };
  if (line.type === "user") return line.message.content.some(isResult) ? { is: "work" } : undefined;
  if (line.type !== "system" || line.subtype !== "api_retry") return undefined;
  const { error_status: status, error } = line;
  return { is: "trouble", what: typeof status === "number" ? `service error ${status}` : (error ?? "no answer") };
}

/** Refused or failed tool calls do not count as progress. */
const isResult = ({
  type,
  is_error: isError,
}: {
  readonly type: string;
  readonly is_error?: boolean | null | undefined;
}): boolean => type === "tool_result" && isError !== true;

/**
 * Returns the usage of this execution. Null if the agent did not report it. Usage by model includes sub-agents, which
 * `usage` omits. In a resumed conversation, newer versions include earlier executions (in `modelUsage` and
 * `total_cost_usd`): usage since the last result is preferred and added up.
 */
export function claudeUsage(results: readonly ResultLine[]): Usage | null {
  const last = results.at(-1);
  if (last === undefined) return null;
  if (last.model_usage_since_last_result !== undefined) {
    return sumByModel(results.map((line) => line.model_usage_since_last_result ?? {}));
  }
  return last.modelUsage === undefined ? plainUsage(last) : sumByModel([last.modelUsage]);
}

function sumByModel(records: readonly ModelTokens[]): Usage | null {
  const models = records.flatMap((record) => Object.values(record));
  const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
  const costs = models.flatMap((model) => model.costUSD ?? []);
  return told({
    input: sum(models.map((m) => m.inputTokens + m.cacheReadInputTokens + m.cacheCreationInputTokens)),
    output: sum(models.map((model) => model.outputTokens)),
    usd: costs.length === models.length ? sum(costs) : null,
  });
}

function plainUsage({ usage, total_cost_usd: usd }: ResultLine): Usage | null {
  if (usage === undefined) return null;
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return told({ input, output: usage.output_tokens, usd: usd ?? null });
}

/** Returns null for zero tokens: Claude Code reports them for a failed call, without counting. */
function told(usage: Usage): Usage | null {
  return usage.input === 0 && usage.output === 0 ? null : usage;
}
