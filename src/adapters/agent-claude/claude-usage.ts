import type { Usage } from "../../schema/agent.ts";
import type { ModelTokens, ResultLine } from "./claude-line.ts";

/**
 * What this execution used; null when the agent did not tell.
 * Figures by model include sub-agents, which `usage` leaves out. In a conversation that goes on, newer versions
 * count earlier executions in again (in `modelUsage` and `total_cost_usd`), so their figures since the last
 * result are preferred and added up.
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

/** A failed call is reported as zero tokens, which only says that nothing was counted. */
function told(usage: Usage): Usage | null {
  return usage.input === 0 && usage.output === 0 ? null : usage;
}
