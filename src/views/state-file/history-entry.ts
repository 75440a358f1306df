import { minutesBetween } from "../../core/duration.ts";
import { type EndedRun, type PhaseRecord, mergedAs } from "../../core/run.ts";
import { metricsOf } from "../metrics.ts";
import { artifactFolder, gitBranch, isKept, phaseKeys } from "./active-workflow.ts";
import { gatePassed, shortSummary, timing } from "./phase-entries.ts";
import { isSupervised, type ReviewEntry, reviewHistory } from "./review-history.ts";
import { sizingRecord } from "./sizing-record.ts";

export type WorkflowHistoryEntry = {
  readonly type: string;
  readonly id: string;
  readonly description: string;
  readonly started_at: string;
  readonly status: "completed" | "cancelled";
  readonly completed_at?: string;
  readonly cancelled_at?: string;
  readonly cancellation_reason?: string | null;
  readonly cancelled_at_phase?: string | null;
  readonly artifact_folder: string;
  readonly phases: readonly string[];
  readonly phase_snapshots: readonly Record<string, unknown>[];
  readonly metrics: Record<string, number | null>;
  readonly git_branch: Record<string, unknown> | null;
  readonly merged_commit: string | null;
  /** Only of runs with gates; then at least empty. */
  readonly review_history?: readonly ReviewEntry[];
  readonly supervised_mode_enabled: boolean;
  readonly sizing?: Record<string, unknown>;
};

/** What stays of a run in `workflow_history`. */
export function historyEntry(run: EndedRun): WorkflowHistoryEntry {
  return {
    type: run.run.workflow,
    id: run.run.run,
    description: run.run.title,
    started_at: run.run.startedAt,
    ...ending(run),
    artifact_folder: artifactFolder(run.run),
    phases: phaseKeys(run),
    phase_snapshots: run.phases.filter(isKept).map((record) => snapshot(run, record)),
    metrics: metrics(run),
    git_branch: gitBranch(run.run, mergedAs(run) === null ? "kept" : "merged"),
    merged_commit: mergedAs(run),
    ...(isSupervised(run) ? { review_history: reviewHistory(run.answers) } : {}),
    supervised_mode_enabled: run.supervision.enabled,
    ...(run.sizing === null ? {} : { sizing: sizingRecord(run.sizing) }),
  };
}

function ending(run: EndedRun) {
  if (run.how === "finished") return { status: "completed", completed_at: run.endedAt } as const;
  return {
    status: "cancelled",
    cancelled_at: run.endedAt,
    cancellation_reason: run.reason,
    cancelled_at_phase: run.cancelledAt,
  } as const;
}

function snapshot(run: EndedRun, record: PhaseRecord): Record<string, unknown> {
  return {
    key: record.rule.key,
    status: record.status,
    started: record.startedAt,
    completed: record.completedAt,
    gate_passed: gatePassed(run, record),
    duration_minutes: minutesBetween(record.startedAt, record.completedAt),
    summary: shortSummary(record),
    artifacts: record.made?.artifacts ?? [],
    test_iterations: record.rule.tests ? testIterations(record) : 0,
    timing: timing(record),
  };
}

function metrics(run: EndedRun): Record<string, number | null> {
  const { minutes, attempts, redos, gates, firstTry, tokens, usd } = metricsOf(run);
  return {
    total_phases: run.phases.filter(isKept).length,
    phases_completed: run.phases.filter(({ status }) => status === "completed").length,
    total_duration_minutes: minutes,
    test_iterations_total: run.phases
      .filter(({ rule }) => rule.tests)
      .reduce((sum, record) => sum + testIterations(record), 0),
    gates_passed_first_try: firstTry,
    gates_required_iteration: gates - firstTry,
    attempts_total: attempts,
    redos_total: redos,
    tokens_total: tokens,
    cost_usd: usd,
  };
}

/** Failed runs of the checks, and the one that passed. */
const testIterations = ({ checkFailures, made }: PhaseRecord): number => checkFailures + (made === null ? 0 : 1);
