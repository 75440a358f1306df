import { NO_AGENT_NAME } from "../../core/adoption.ts";
import { ProblemError } from "../../core/problem.ts";
import type { PhaseRule, WorkflowDefinition } from "../../schema/plan.ts";
import type { RunAgents } from "../../schema/run-agents.ts";
import { reviewAgent } from "../agents/agent-choice.ts";
import type { RunPlan } from "./plan-run.ts";
import type { AdoptedRange, RunRequest } from "./run-request.ts";

/** Returns the start of adopted work: the run's branch starts at its last commit. */
export function adoptedStart({ from, head, commits, base }: AdoptedRange): NonNullable<RunPlan["git"]> {
  const target = base === null ? {} : { baseTip: base.commit };
  return { base: base?.branch ?? null, commit: from, ...target, adopts: { head, commits } };
}

type ReviewedPhases = { readonly phases: PhaseRule[]; readonly warnings: readonly string[] };

/** Removes the review of adopted work if no reviewer was chosen. Returns what the attestation cannot cover, too. */
export function withoutReviews(
  phases: readonly PhaseRule[],
  adopts: AdoptedRange | undefined,
  agents: RunAgents,
): ReviewedPhases {
  if (adopts === undefined) return { phases: [...phases], warnings: [] };
  const hasReviewer = ({ key }: PhaseRule): boolean =>
    adopts.isReviewed && reviewAgent(agents, key).name !== NO_AGENT_NAME;
  const adapted = phases.map((rule) => (hasReviewer(rule) ? rule : { ...rule, reviewer: null, verdicts: 0 }));
  return { phases: adapted, warnings: adopts.warnings };
}

/** Rejects a workflow that adopts work without a range, and a range for any other workflow. */
export function refuseUnadopted({ adopts, usage }: RunRequest, { name, phases }: WorkflowDefinition): void {
  if (phases.some((phase) => phase.adopts === true) === (adopts !== undefined)) return;
  const detail = `The workflow "${name}" judges existing work: isdlc adopt [range].`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}
