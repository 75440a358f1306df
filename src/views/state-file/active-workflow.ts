import { type ActiveRun, currentPhase, type EndedRun, type RunFacts } from "../../core/run.ts";
import { isSupervised, reviewHistory } from "./review-history.ts";
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
    current_phase_index: run.index,
    phase_status: Object.fromEntries(run.phases.map(({ rule, status }) => [rule.key, status])),
    artifact_folder: artifactFolder(run.run),
    flags: { light, supervised: run.supervision.enabled },
    options,
    git_branch: gitBranch(run.run, "active"),
    ...(review === null ? {} : { supervised_review: review }),
    ...(isSupervised(run) ? { review_history: reviewHistory(run.answers) } : {}),
  };
}

export const phaseKeys = (run: ActiveRun | EndedRun): readonly string[] => run.phases.map(({ rule }) => rule.key);

/** The item's own folder, without the path to it. */
export const artifactFolder = ({ item }: RunFacts): string => item.slice(item.lastIndexOf("/") + 1);

export function gitBranch({ git, startedAt }: RunFacts, status: string): Record<string, unknown> | null {
  if (git === null || git.branch === null) return null;
  return { name: git.branch, created_from: git.base, created_at: startedAt, status };
}
