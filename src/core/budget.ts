import type { Usage } from "../schema/agent.ts";
import type { Budget } from "../schema/plan.ts";
import type { ActiveRun } from "./run.ts";
import { money } from "./duration.ts";

/** Sums the reported usage of all executions in a run; null if none reported it. */
export function spentBy({ phases }: Pick<ActiveRun, "phases">): Usage {
  const sum = (amounts: readonly (number | null)[]): number | null => {
    const known = amounts.filter((amount) => amount !== null);
    return known.length === 0 ? null : known.reduce((total, amount) => total + amount, 0);
  };
  const usages = phases.map(({ usage }) => usage);
  return {
    input: sum(usages.map(({ input }) => input)),
    output: sum(usages.map(({ output }) => output)),
    usd: sum(usages.map(({ usd }) => usd)),
  };
}

/** Adds usages. Unknown plus known gives the known part; unknown plus unknown stays unknown. */
export function addUsage(sum: Usage | undefined, more: Usage | null): Usage {
  const add = (a: number | null | undefined, b: number | null | undefined): number | null =>
    typeof a === "number" || typeof b === "number" ? (a ?? 0) + (b ?? 0) : null;
  return {
    input: add(sum?.input, more?.input),
    output: add(sum?.output, more?.output),
    usd: add(sum?.usd, more?.usd),
  };
}

/** True if any limit is used up. Unreported usage counts as zero. */
export function isSpent(spent: Usage, { usd, tokens }: Budget): boolean {
  return (usd !== null && (spent.usd ?? 0) >= usd) || (tokens !== null && sumTokens(spent) >= tokens);
}

/** True if `ahead` in addition to `spent` would exceed the budget. */
export function wouldExceed(spent: Usage, ahead: Usage, { usd, tokens }: Budget): boolean {
  const then = addUsage(spent, ahead);
  return (usd !== null && (then.usd ?? 0) > usd) || (tokens !== null && sumTokens(then) > tokens);
}

/** Returns the smaller figure of each kind; a missing one is taken from the other usage. */
export function smaller(one: Usage | null, other: Usage): Usage {
  const least = (a: number | null | undefined, b: number | null): number | null =>
    typeof a === "number" && b !== null ? Math.min(a, b) : (a ?? b);
  return {
    input: least(one?.input, other.input),
    output: least(one?.output, other.output),
    usd: least(one?.usd, other.usd),
  };
}

export const sumTokens = ({ input, output }: Usage): number => (input ?? 0) + (output ?? 0);

/** Returns dollars per token of this run so far. Null if some execution did not report its cost. */
export function pricePerToken(run: Pick<ActiveRun, "phases">): number | null {
  const spent = spentBy(run);
  const isWhole = run.phases.every(({ missingCost }) => missingCost === 0);
  return isWhole && spent.usd !== null && sumTokens(spent) > 0 ? spent.usd / sumTokens(spent) : null;
}

/** Adds the cost suggested by the tokens if none was reported. */
export function priced(usage: Usage, price: number | null): Usage {
  return usage.usd !== null || price === null ? usage : { ...usage, usd: sumTokens(usage) * price };
}

export const isLimited = ({ usd, tokens }: Budget): boolean => usd !== null || tokens !== null;

/** Formats usage. `isPartial`: some executions did not report their cost. */
export function spentText({ input, output, usd }: Usage, isPartial = false): string {
  const tokens = input === null && output === null ? "an unknown number of" : String((input ?? 0) + (output ?? 0));
  const cost = usd === null ? "unknown cost" : `${money(usd)}${isPartial ? " (partly unknown)" : ""}`;
  return `${tokens} tokens, ${cost}`;
}

/** Explains why the user is asked about the budget. */
export function budgetQuestion({ spent, budget, unknown, partial, ahead }: SpentBudget): string {
  if (unknown === true)
    return `How much of ${budgetText(budget)} is spent is unknown: an agent reported an impossible usage. At least ${spentText(spent)}`;
  const used =
    budget.usd === null
      ? `${sumTokens(spent)} of ${budgetText(budget)}`
      : `${spentText(spent, partial)} of ${budgetText(budget)}`;
  return ahead === undefined || isSpent(spent, budget)
    ? `The budget is spent: ${used}`
    : `The budget would be exceeded: ${used} spent, and the next step takes about ${aheadText(ahead, budget)}`;
}

/** Formats expected usage in the limited units. */
export function aheadText({ usd, ...tokens }: Usage, budget: Budget): string {
  return budgetText({
    usd: budget.usd === null ? null : usd,
    tokens: budget.tokens === null ? null : sumTokens({ ...tokens, usd }),
  });
}

type SpentBudget = {
  readonly spent: Usage;
  readonly budget: Budget;
  readonly unknown?: true | undefined;
  readonly partial?: boolean | undefined;
  /** Expected next usage, if it would exceed a budget that is not spent yet. */
  readonly ahead?: Usage | undefined;
};

/** True if the cost of some executions is known, and that of others is unknown or estimated. */
export const isPartlyKnown = ({ phases, estimatedCost }: Pick<ActiveRun, "phases" | "estimatedCost">): boolean =>
  estimatedCost ||
  (phases.some(({ missingCost }) => missingCost > 0) && phases.some(({ usage }) => usage.usd !== null));

export function budgetText({ usd, tokens }: Budget): string {
  const parts = [usd === null ? "" : money(usd), tokens === null ? "" : `${tokens} tokens`];
  return parts.filter((part) => part !== "").join(" or ");
}
