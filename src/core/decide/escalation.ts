import type { EventDraft, Step } from "../../schema/event.ts";
import type { TestCommand } from "../../schema/facts.ts";
import { currentStep } from "../next.ts";
import type { ActiveRun, EscalationOption } from "../run.ts";
import { skippable } from "./person.ts";
import type { Usage } from "../../schema/agent.ts";
import { addUsage, isLimited, isPartlyKnown, isSpent, spentBy, wouldExceed } from "../budget.ts";

type Trouble = {
  readonly reason: string;
  readonly detail: string;
  readonly last?: EscalationOption;
  readonly paths?: string[];
  /** Names of the failed checks. */
  readonly checks?: string[];
  readonly tests?: TestCommand | null | undefined;
};

/** Builds an escalation. Offers retry first, then skip if the step can be skipped, then `last`. */
export function escalation(run: ActiveRun, { reason, detail, last, ...more }: Trouble): EventDraft {
  const from: Step = currentStep(run);
  const options: EscalationOption[] = [
    "retry",
    ...(skippable(from) ? (["skip"] as const) : []),
    ...(last === undefined ? [] : [last]),
  ];
  return { type: "step.escalated", from, reason, detail, options, ...told(more) };
}

/** Omits missing fields: journal events have no keys without a value. */
const told = ({ paths, checks, tests }: Pick<Trouble, "paths" | "checks" | "tests">) => ({
  ...(paths === undefined ? {} : { paths }),
  ...(checks === undefined ? {} : { checks }),
  ...(tests === undefined ? {} : { tests }),
});

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
