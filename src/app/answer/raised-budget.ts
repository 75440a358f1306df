import type { Wait } from "../../core/run.ts";
import type { Budget } from "../../schema/plan.ts";

/** The budget a person names in dollars, or as much again as there was; null for what is no amount. */
export function raisedBudget(wait: Wait, said: string): Budget | null {
  if (wait.kind !== "budget") return null;
  const { usd, tokens } = wait.budget;
  const more = (limit: number | null, spent: number): number | null => (limit === null ? null : spent + limit);
  const used = (wait.spent.input ?? 0) + (wait.spent.output ?? 0);
  const again = { usd: more(usd, wait.spent.usd ?? 0), tokens: more(tokens, used) };
  const amount = said.trim().replace(/^\$/, "");
  if (amount === "") return again;
  return /^[0-9]{1,6}(?:\.[0-9]{1,4})?$/.test(amount) ? { ...again, usd: Number(amount) } : null;
}
