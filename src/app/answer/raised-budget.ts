import { sumTokens } from "../../core/budget.ts";
import type { Wait } from "../../core/run.ts";
import type { Budget } from "../../schema/plan.ts";

/**
 * Returns the new budget for the user's input: dollars, or tokens if only tokens are limited. Without input, the
 * usage so far plus the old limit, or plus the need of the next step if this is higher. Null for an invalid amount.
 */
export function raisedBudget(wait: Wait, said: string): Budget | null {
  if (wait.kind !== "budget") return null;
  const { usd, tokens } = wait.budget;
  const { spent, ahead = NOTHING } = wait;
  const more = (limit: number | null, used: number, next: number): number | null =>
    limit === null ? null : used + Math.max(limit, next);
  const again = {
    usd: more(usd, spent.usd ?? 0, ahead.usd ?? 0),
    tokens: more(tokens, sumTokens(spent), sumTokens(ahead)),
  };
  const amount = said.trim().replace(/^\$/, "");
  if (amount === "") return again;
  if (usd === null) return /^[0-9]{1,12}$/.test(amount) ? { usd, tokens: Number(amount) } : null;
  return /^[0-9]{1,6}(?:\.[0-9]{1,4})?$/.test(amount) ? { ...again, usd: Number(amount) } : null;
}

const NOTHING = { input: null, output: null, usd: null };
