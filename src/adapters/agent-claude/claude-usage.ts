import type { Usage } from "../../schema/agent.ts";
import type { ModelTokens, ResultLine } from "./claude-line.ts";

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
