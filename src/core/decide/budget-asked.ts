import type { Usage } from "../../schema/agent.ts";
import type { EventDraft } from "../../schema/event.ts";
import { addUsage, isLimited, isPartlyKnown, isSpent, spentBy, wouldExceed } from "../budget.ts";
import type { ActiveRun } from "../run.ts";

/**
 * Returns the budget question to ask before an execution, if any: the budget is spent, usage is unknown, or even the
 * cheapest usage so far would exceed the budget.
 */
export function budgetAsked(run: ActiveRun): EventDraft | null {
  const { budget, leastUsage } = run;
  if (budget === null) return null;
  const spent = spentBy(run);
  const asked = { type: "budget.spent", spent, budget } as const;
  const partial = isPartlyKnown(run) ? { partial: true } : {};
  if (isSpent(spent, budget)) return { ...asked, ...partial };
  if (isLimited(budget) && run.unknownUsage) return { ...asked, unknown: true };
  if (leastUsage === null || !wouldExceed(spent, leastUsage, budget)) return null;
  return { ...asked, ...partial, ahead: leastUsage };
}

type StoppedExecution = {
  readonly usage: Usage | null;
  readonly ahead: Usage | null;
  readonly estimated: boolean | undefined;
};

/** Returns the budget question after an execution was stopped for the budget. */
export function stoppedFor(run: ActiveRun, { usage, ahead, estimated }: StoppedExecution): EventDraft | null {
  if (run.budget === null) return null;
  const isPartial = estimated === true || isPartlyKnown(run);
  const spent = addUsage(spentBy(run), usage);
  const doubts = isPartial ? { partial: true } : {};
  return { type: "budget.spent", spent, budget: run.budget, ...doubts, ...(ahead === null ? {} : { ahead }) };
}
