import type { Brief, EventDraft } from "../schema/event.ts";
import type { CheckResult } from "../schema/facts.ts";
import { isFailure } from "./baseline.ts";
import type { Draft, PhaseRecord } from "./run.ts";

/** True for an attempt that takes existing work as it is. After a redo, an agent works. */
const adoptsWork = ({ rule, redos }: PhaseRecord, { why }: Brief): boolean =>
  rule.adopts === true && redos === 0 && why !== "redo";

/** Returns the draft of an attempt that starts with checks, because no agent works in it. */
export function draftWithoutAgent(phase: PhaseRecord, brief: Brief): EventDraft[] {
  const draft = { type: "draft.produced", summary: "", decisions: [], artifacts: [] } satisfies EventDraft;
  if (adoptsWork(phase, brief)) return [{ ...draft, adopted: true }];
  return phase.rule.judged === true ? [draft] : [];
}

/** Lists failed checks of adopted work for its gate. Every other attempt gets failures back and has none there. */
export const adoptedFailures = (draft: Draft): CheckResult[] =>
  isAdopted(draft) ? draft.checks.filter(isFailure) : [];

export const isAdopted = ({ adopted }: Pick<Draft, "adopted">): boolean => adopted === true;

/** Returns how many verdicts an attempt may get. No agent of the run could revise adopted work. */
export const verdictLimit = ({ rule }: PhaseRecord, draft: Draft): number => (isAdopted(draft) ? 1 : rule.verdicts);

/** Agent name of adopted work without an agent. */
export const NO_AGENT_NAME = "none";
