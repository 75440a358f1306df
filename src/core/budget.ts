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

export function spentText({ input, output, usd }: Usage): string {
  const tokens = input === null && output === null ? "an unknown number of" : String((input ?? 0) + (output ?? 0));
  return `${tokens} tokens, ${usd === null ? "unknown cost" : money(usd)}`;
}

/** Why the budget is asked about. */
export function budgetQuestion({ spent, budget, unknown }: SpentBudget): string {
  return unknown === true
    ? `How much of ${budgetText(budget)} is spent is not known: an agent told of a usage that cannot be. At least ${spentText(spent)}`
    : `The budget is spent: ${spentText(spent)} of ${budgetText(budget)}`;
}

type SpentBudget = { readonly spent: Usage; readonly budget: Budget; readonly unknown?: true | undefined };

export function budgetText({ usd, tokens }: Budget): string {
  const parts = [usd === null ? "" : money(usd), tokens === null ? "" : `${tokens} tokens`];
  return parts.filter((part) => part !== "").join(" or ");
}
