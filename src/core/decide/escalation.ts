import type { EventDraft, Step } from "../../schema/event.ts";
import type { TestCommand } from "../../schema/facts.ts";
import { currentStep } from "../next.ts";
import type { ActiveRun, EscalationOption } from "../run.ts";
import { skippable } from "./person.ts";

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
