import { minutesBetween } from "../../core/duration.ts";
import type { EarlierState } from "../../core/items/earlier-state.ts";
import {
  type ActiveRun,
  type Answer,
  currentPhase,
  type EndedRun,
  isRedoing,
  mergedAs,
  type PhaseRecord,
  type RunFacts,
  type RunState,
} from "../../core/run.ts";
import { computeMetrics } from "../metrics.ts";
import { gatePassed, isKept, phaseEntries, shortSummary, timing, sizingRecord } from "./phase-entries.ts";
export type StateFileInput = {
  /** Content of the existing file. Derived keys are replaced in place. */
  readonly user: Readonly<Record<string, unknown>>;
  readonly run: RunState;
  /** Ended runs, newest last. */
  readonly history: readonly Readonly<Record<string, unknown>>[];
  readonly version: number;
  readonly counters: Readonly<Record<string, number>>;
  /** State of an earlier framework: its ended workflows come first, and counters stay at least as high. */
  readonly earlier?: EarlierState | null;
};

const MAX_HISTORY = 50;

/** Builds `state.json`: keys derived from the journal, and the user's own settings. */
export function projectStateFile(input: StateFileInput): Record<string, unknown> {
  const derived = new Map(Object.entries(derivedKeys(input)));
  const added = [...derived].filter(([key]) => !Object.hasOwn(input.user, key));
  const kept = Object.entries(input.user).map(([key, value]) => [key, derived.has(key) ? derived.get(key) : value]);
  return Object.fromEntries([...added, ...kept]) as Record<string, unknown>;
}

function derivedKeys({ run, history, version, counters, earlier }: StateFileInput): Record<string, unknown> {
  return {
    state_version: version,
    current_phase: run.is === "active" ? (run.phases[run.index]?.rule.key ?? null) : null,
    active_workflow: run.is === "active" ? activeWorkflow(run) : null,
    phases: run.is === "none" ? {} : phaseEntries(run),
    workflow_history: [...(earlier?.history ?? []), ...history].slice(-MAX_HISTORY),
    counters: highest(counters, earlier?.counters ?? {}),
  };
}

type Counters = StateFileInput["counters"];

function highest(ours: Counters, theirs: Counters): Record<string, number> {
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return Object.fromEntries([...names].map((name) => [name, Math.max(ours[name] ?? 0, theirs[name] ?? 0)]));
}

/** Builds `active_workflow` from the open run. */
function activeWorkflow(run: ActiveRun): Record<string, unknown> {
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

const phaseKeys = (run: ActiveRun | EndedRun): readonly string[] =>
  run.phases.filter(isKept).map(({ rule }) => rule.key);

/** Returns the name of the item's folder. */
const artifactFolder = ({ item }: RunFacts): string => item.slice(item.lastIndexOf("/") + 1);

function gitBranch({ git, startedAt }: RunFacts, status: string): Record<string, unknown> | null {
  if (git === null || git.branch === null) return null;
  return { name: git.branch, created_from: git.base, created_at: startedAt, status };
}

type SupervisedReview = {
  readonly phase: string;
  readonly status: "gate_presented" | "reviewing" | "redo_pending" | "completed";
  readonly paused_at: string | null;
  readonly resumed_at: string | null;
  readonly redo_count: number;
  readonly redo_guidance_history: readonly string[];
};

/** Returns the current review, or null if there is none. */
function supervisedReview(run: ActiveRun): SupervisedReview | null {
  const phase = currentPhase(run);
  const moment = findMoment(run);
  if (phase === undefined || moment === null) return null;
  return { phase: phase.rule.key, ...moment, redo_count: phase.redos, redo_guidance_history: phase.guidance };
}

type Moment = Pick<SupervisedReview, "status" | "paused_at" | "resumed_at">;

function findMoment(run: ActiveRun): Moment | null {
  const { stage, wait } = run;
  if (isRedoing(run)) return { status: "redo_pending", paused_at: null, resumed_at: null };
  if (stage.is === "produced" && wait?.kind === "gate") {
    return {
      status: stage.pausedAt === null ? "gate_presented" : "reviewing",
      paused_at: stage.pausedAt,
      resumed_at: null,
    };
  }
  if ((stage.is === "rechecking" || stage.is === "accepting") && stage.pausedAt !== null) {
    return { status: "completed", paused_at: stage.pausedAt, resumed_at: stage.resumedAt };
  }
  return null;
}

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
  /** Present only for runs with gates, possibly empty. */
  readonly review_history?: readonly ReviewEntry[];
  readonly supervised_mode_enabled: boolean;
  readonly sizing?: Record<string, unknown>;
};

/** Builds the entry of a run in `workflow_history`. */
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
  const { minutes, attempts, redos, gates, firstTry, tokens, usd } = computeMetrics(run);
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

/** Number of failed check runs, plus one if the checks passed. */
const testIterations = ({ checkFailures, made }: PhaseRecord): number => checkFailures + (made === null ? 0 : 1);

export type ReviewEntry = {
  readonly phase: string;
  readonly action: Answer["choice"];
  readonly timestamp: string;
  readonly paused_at?: string;
  /** Null during the pause. */
  readonly resumed_at?: string | null;
  readonly redo_count?: number;
  readonly guidance?: string;
};

/** Returns true if the settings request gates, or if a gate was answered. */
export const isSupervised = (run: ActiveRun | EndedRun): boolean => run.supervision.enabled || run.answers.length > 0;

/** Returns one entry per answer. The next answer completes the entry of a pause; a Continue then adds no entry. */
export function reviewHistory(answers: readonly Answer[]): readonly ReviewEntry[] {
  const entries: ReviewEntry[] = [];
  for (const answer of answers) {
    const ended = endPause(entries, answer);
    if (answer.choice !== "continue" || !ended) entries.push(toReviewEntry(answer));
  }
  return entries;
}

function endPause(entries: ReviewEntry[], { phase, at }: Answer): boolean {
  const last = entries.at(-1);
  if (last === undefined || last.phase !== phase || last.resumed_at !== null) return false;
  entries[entries.length - 1] = { ...last, resumed_at: at };
  return true;
}

function toReviewEntry({ phase, choice, at, redo, guidance }: Answer): ReviewEntry {
  const entry = { phase, action: choice, timestamp: at };
  if (choice === "review") return { ...entry, paused_at: at, resumed_at: null };
  if (choice === "redo") return { ...entry, redo_count: redo, guidance: guidance ?? "" };
  return entry;
}
