import { money } from "./money.ts";
import type { Usage } from "../schema/agent.ts";
import type { Budget } from "../schema/plan.ts";
import type { ActiveRun } from "./run.ts";

/** What all executions of a run told that they used; null where none did. */
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

/** Unknown plus known is the known part; unknown alone stays unknown. */
export function addUsage(sum: Usage | undefined, more: Usage | null): Usage {
  const add = (a: number | null | undefined, b: number | null | undefined): number | null =>
    typeof a === "number" || typeof b === "number" ? (a ?? 0) + (b ?? 0) : null;
  return {
    input: add(sum?.input, more?.input),
    output: add(sum?.output, more?.output),
    usd: add(sum?.usd, more?.usd),
  };
}

/** True once anything that is limited is used up. What nobody tells cannot be limited. */
export function isSpent(spent: Usage, { usd, tokens }: Budget): boolean {
  return (usd !== null && (spent.usd ?? 0) >= usd) || (tokens !== null && sumTokens(spent) >= tokens);
}

/** True where work that uses as much as `ahead` would go beyond what is left. */
export function wouldExceed(spent: Usage, ahead: Usage, { usd, tokens }: Budget): boolean {
  const then = addUsage(spent, ahead);
  return (usd !== null && (then.usd ?? 0) > usd) || (tokens !== null && sumTokens(then) > tokens);
}

/** Of two usages the smaller figures; what one does not tell is taken from the other. */
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

/** Dollars that a token of this run cost so far; null where some execution did not tell its cost. */
export function pricePerToken(run: Pick<ActiveRun, "phases">): number | null {
  const spent = spentBy(run);
  const isWhole = run.phases.every(({ missingCost }) => missingCost === 0);
  return isWhole && spent.usd !== null && sumTokens(spent) > 0 ? spent.usd / sumTokens(spent) : null;
}

/** With the cost that its tokens suggest, where it tells none. */
export function priced(usage: Usage, price: number | null): Usage {
  return usage.usd !== null || price === null ? usage : { ...usage, usd: sumTokens(usage) * price };
}

export const isLimited = ({ usd, tokens }: Budget): boolean => usd !== null || tokens !== null;

/** `isPartial`: some executions did not tell what they cost. */
export function spentText({ input, output, usd }: Usage, isPartial = false): string {
  const tokens = input === null && output === null ? "an unknown number of" : String((input ?? 0) + (output ?? 0));
  const cost = usd === null ? "unknown cost" : `${money(usd)}${isPartial ? " (partly unknown)" : ""}`;
  return `${tokens} tokens, ${cost}`;
}

/** Why the budget is asked about. */
export function budgetQuestion({ spent, budget, unknown, partial, ahead }: SpentBudget): string {
  if (unknown === true)
    return `How much of ${budgetText(budget)} is spent is unknown: an agent reported an impossible usage. At least ${spentText(spent)}`;
  const used =
    budget.usd === null
      ? `${sumTokens(spent)} of ${budgetText(budget)}`
      : `${spentText(spent, partial)} of ${budgetText(budget)}`;
  return ahead === undefined || isSpent(spent, budget)
    ? `The budget is spent: ${used}`
    : `The budget would be exceeded: ${used} spent, and what comes next takes about ${aheadText(ahead, budget)}`;
}

/** What is to come, in what is limited. */
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
  /** What comes next, where it would exceed the budget rather than the budget being spent. */
  readonly ahead?: Usage | undefined;
};

/** True where some executions of a run told their cost, and that of others is unknown or worked out. */
export const isPartlyKnown = ({ phases, estimatedCost }: Pick<ActiveRun, "phases" | "estimatedCost">): boolean =>
  estimatedCost ||
  (phases.some(({ missingCost }) => missingCost > 0) && phases.some(({ usage }) => usage.usd !== null));

export function budgetText({ usd, tokens }: Budget): string {
  const parts = [usd === null ? "" : money(usd), tokens === null ? "" : `${tokens} tokens`];
  return parts.filter((part) => part !== "").join(" or ");
}
