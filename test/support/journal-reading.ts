import type { RunEvent } from "../../src/schema/event.ts";
import type { PhaseRule, RunOptions, Supervision } from "../../src/schema/plan.ts";

export type EventOfType<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** A second, simpler model of a journal. It knows the guarantees, but not the state of the core. */
export type Reading = {
  plan: readonly PhaseRule[];
  index: number;
  supervision: Supervision;
  wait: string | null;
  claimed: string | null;
  ended: boolean;
  redos: Map<string, number>;
  attempts: Map<string, number>;
  attempt: Attempt;
  /** Set at `phase.completed`: true if a person must continue before the phase may be accepted. */
  due: boolean;
  continued: boolean;
  options: RunOptions;
  /** Phases dropped by sizing, and the index of the phase that decided the size; null before that. */
  dropped: Set<string>;
  sizedAt: number | null;
  refined: boolean;
  rejected: number;
  rewinding: boolean;
  skipped: boolean;
  unmeasured: boolean;
};

/** Results of the attempt. */
type Attempt = {
  draft: boolean;
  checks: boolean;
  verdicts: number;
  approved: boolean;
  failures: number;
  digest: string;
  same: number;
};

/** Checks by event type. Each returns the violated rules and updates the reading. */
export type Readers = {
  readonly [T in RunEvent["type"]]?: (
    reading: Reading,
    event: EventOfType<T>,
    following: RunEvent | undefined,
  ) => string[];
};

export const fresh: Attempt = {
  draft: false,
  checks: false,
  verdicts: 0,
  approved: false,
  failures: 0,
  digest: "",
  same: 0,
};

export const unless = (held: boolean, rule: string): string[] => (held ? [] : [rule]);

export const ruleAtHand = (reading: Reading): PhaseRule => {
  const rule = reading.plan[reading.index];
  if (rule === undefined) throw new Error("an event of a phase after the last one");
  return rule;
};

export const isPerson = (by: { readonly channel: string }): boolean =>
  by.channel !== "agent" && by.channel !== "script";
