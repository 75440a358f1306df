import { type ActiveRun, currentPhase, type Draft } from "../run.ts";
import type { CheckResult, PhaseOutput } from "../../schema/facts.ts";
import { concernsAfter } from "./acceptance.ts";
import { patch } from "./changes.ts";

/** Output of the phase, and the failures that the gate shows with it. */
export type Acceptable = { readonly made: PhaseOutput; readonly failures: readonly CheckResult[] };

/**
 * Returns the state once a user accepts the current phase, as far as isdlc's own documents depend on it: they are part
 * of the commit that exists before the answer.
 */
export function whenAccepted(run: ActiveRun, { made, failures }: Acceptable): ActiveRun {
  const known = run.stage.is === "completing" ? null : (currentPhase(run)?.completedAt ?? null);
  const accepted = { ...made, concerns: concernsAfter(made, failures) };
  return patch(run, { status: "completed", completedAt: known ?? run.sinceAt, made: accepted });
}

/** Returns the part of a phase's output that its draft contains. */
export function draftOutput(
  draft: Draft,
): Omit<PhaseOutput, "changed" | "changedSinceSeen" | "unexpected" | "tree" | "lines"> {
  return {
    summary: draft.summary,
    decisions: [...draft.decisions],
    artifacts: [...draft.artifacts],
    checks: [...draft.checks],
    issues: [...draft.issues],
    approved: draft.approved,
    concerns: [...draft.concerns],
    testsChanged: draft.testsChanged,
    ...(draft.denied.length === 0 ? {} : { denied: [...draft.denied] }),
  };
}
