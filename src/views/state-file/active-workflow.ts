import { type ActiveRun, currentPhase, type EndedRun, type PhaseRecord, type RunFacts } from "../../core/run.ts";
import { isSupervised, reviewHistory } from "./review-history.ts";
import { sizingRecord } from "./sizing-record.ts";
import { supervisedReview } from "./supervised-review.ts";

export function activeWorkflow(run: ActiveRun): Record<string, unknown> {
  const { light, ...options } = run.run.options;
  const review = supervisedReview(run);
  return {
    id: run.run.run,
    type: run.run.workflow,
    description: run.run.title,
    started_at: run.run.startedAt,
    phases: phaseKeys(run),
    current_phase: currentPhase(run)?.rule.key ?? null,
    current_phase_index: run.phases.slice(0, run.index).filter(isKept).length,
    phase_status: Object.fromEntries(run.phases.filter(isKept).map(({ rule, status }) => [rule.key, status])),
    artifact_folder: artifactFolder(run.run),
    flags: { light, supervised: run.supervision.enabled },
    options,
    git_branch: gitBranch(run.run, "active"),
    ...(run.sizing === null ? {} : { sizing: sizingRecord(run.sizing) }),
    refinement_completed: run.refined,
    ...(review === null ? {} : { supervised_review: review }),
    ...(isSupervised(run) ? { review_history: reviewHistory(run.answers) } : {}),
  };
}

export const phaseKeys = (run: ActiveRun | EndedRun): readonly string[] =>
  run.phases.filter(isKept).map(({ rule }) => rule.key);

/** Phases that sizing left out are not shown; the run remembers them. */
export const isKept = ({ dropped }: PhaseRecord): boolean => !dropped;

/** The item's own folder, without the path to it. */
export const artifactFolder = ({ item }: RunFacts): string => item.slice(item.lastIndexOf("/") + 1);

export function gitBranch({ git, startedAt }: RunFacts, status: string): Record<string, unknown> | null {
  if (git === null || git.branch === null) return null;
  return { name: git.branch, created_from: git.base, created_at: startedAt, status };
}
