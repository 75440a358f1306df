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
  const used = (spent.input ?? 0) + (spent.output ?? 0);
  return (usd !== null && (spent.usd ?? 0) >= usd) || (tokens !== null && used >= tokens);
}

export const isLimited = ({ usd, tokens }: Budget): boolean => usd !== null || tokens !== null;

/** What is left of the money; null where it is not limited. */
export const moneyLeft = (run: ActiveRun): number | null => {
  const limit = run.budget?.usd ?? null;
  return limit === null ? null : Math.max(0, limit - (spentBy(run).usd ?? 0));
};

/** `isPartial`: some executions did not tell what they cost. */
export function spentText({ input, output, usd }: Usage, isPartial = false): string {
  const tokens = input === null && output === null ? "an unknown number of" : String((input ?? 0) + (output ?? 0));
  const cost = usd === null ? "unknown cost" : `${money(usd)}${isPartial ? " (partly unknown)" : ""}`;
  return `${tokens} tokens, ${cost}`;
}

/** Why the budget is asked about. */
export function budgetQuestion({ spent, budget, unknown, partial }: SpentBudget): string {
  return unknown === true
    ? `How much of ${budgetText(budget)} is spent is not known: an agent told of a usage that cannot be. At least ${spentText(spent)}`
    : `The budget is spent: ${spentText(spent, partial)} of ${budgetText(budget)}`;
}

type SpentBudget = {
  readonly spent: Usage;
  readonly budget: Budget;
  readonly unknown?: true | undefined;
  readonly partial?: boolean | undefined;
};

/** True where some executions of a run told their cost and others did not. */
export const isPartlyKnown = ({ phases }: Pick<ActiveRun, "phases">): boolean =>
  phases.some(({ missingCost }) => missingCost > 0) && phases.some(({ usage }) => usage.usd !== null);

export function budgetText({ usd, tokens }: Budget): string {
  const parts = [usd === null ? "" : money(usd), tokens === null ? "" : `${tokens} tokens`];
  return parts.filter((part) => part !== "").join(" or ");
}
