import { isFailure } from "../../core/baseline.ts";
import { minutesBetween } from "../../core/duration.ts";
import type { ActiveRun, EndedRun, PhaseRecord, SizingDecision } from "../../core/run.ts";
import type { PhaseOutput, SizingMetrics } from "../../schema/facts.ts";
import { plainLine } from "../plain-text.ts";

/** Maximum length of a phase's summary in `state.json`, in characters. */
const MAX_SUMMARY = 150;

/** Builds `phases`: the recorded facts about each phase, by its key. */
export function phaseEntries(run: ActiveRun | EndedRun): Record<string, unknown> {
  return Object.fromEntries(run.phases.filter(isKept).map((record) => [record.rule.key, phaseEntry(run, record)]));
}

/** Returns false for a phase skipped by sizing. Such phases stay in the run but are not shown. */
export const isKept = ({ dropped }: PhaseRecord): boolean => !dropped;

const isCancelledAt = (run: EndedRun, { rule }: PhaseRecord): boolean =>
  run.how === "cancelled" && run.cancelledAt === rule.key;

/** Returns the time when the run left the gate of a phase, or null if it has not. */
export function gatePassed(run: ActiveRun | EndedRun, record: PhaseRecord): string | null {
  const left = run.is === "ended" ? !isCancelledAt(run, record) : run.phases.indexOf(record) < run.index;
  const { rule, status, completedAt } = record;
  if (!left || status !== "completed") return null;
  const answers = run.answers.filter(({ phase, choice }) => phase === rule.key && choice === "continue");
  const last = answers.at(-1)?.at ?? "";
  return last >= (completedAt ?? "") ? last : completedAt; // an older answer is from before a return to the phase
}

export const shortSummary = ({ made }: PhaseRecord): string => plainLine(made?.summary ?? "", MAX_SUMMARY);

export function timing({ startedAt, completedAt, attempts, redos }: PhaseRecord): Record<string, unknown> {
  return {
    started_at: startedAt,
    completed_at: completedAt,
    wall_clock_minutes: minutesBetween(startedAt, completedAt),
    retries: Math.max(0, attempts - 1 - redos),
  };
}

function phaseEntry(run: ActiveRun | EndedRun, record: PhaseRecord): Record<string, unknown> {
  const { rule, made } = record;
  const passed = gatePassed(run, record);
  const requirements = {
    ...(rule.tests ? { test_iteration: testIteration(record) } : {}),
    ...questions(run, record),
  };
  return {
    status: record.status,
    started: record.startedAt,
    completed: record.completedAt,
    gate_passed: passed,
    artifacts: made?.artifacts ?? [],
    ...(made === null ? {} : { summary: shortSummary(record) }),
    ...(record.firstCommit === null ? {} : { start_commit: record.firstCommit }),
    ...(Object.keys(requirements).length === 0 ? {} : { iteration_requirements: requirements }),
    ...(rule.reviewer === null ? {} : { constitutional_validation: findings(record, passed !== null) }),
    ...(record.startedAt === null ? {} : { timing: timing(record) }),
  };
}

function testIteration({ rule, made, checkFailures }: PhaseRecord): Record<string, unknown> {
  const result = made === null ? "pending" : testResult(made);
  const isKnown = result === "failed" && made?.checks.some(isFailure) === false;
  return {
    completed: made !== null,
    status: result === "passed" ? "success" : isKnown ? "escalated" : result,
    ...(isKnown ? { escalation_approved: true } : {}),
    current_iteration: checkFailures + (made === null ? 0 : 1),
    max_iterations: rule.checks.limit,
    last_test_result: result,
    failures_count: checkFailures,
  };
}

/** Never returns "passed" if a check could not run. */
function testResult({ checks }: PhaseOutput): "passed" | "failed" | "not_measured" {
  const tests = checks.filter(({ name }) => name === "tests");
  if (tests.some(({ ok }) => ok === false)) return "failed";
  return tests.length > 0 && tests.every(({ ok }) => ok === true) ? "passed" : "not_measured";
}

function findings({ rule, made, iterations }: PhaseRecord, isAccepted: boolean): Record<string, unknown> {
  const status =
    made === null ? (iterations.length === 0 ? "pending" : "iterating") : made.approved ? "compliant" : "escalated";
  return {
    completed: made !== null,
    status,
    iterations_used: iterations.length,
    max_iterations: rule.verdicts,
    articles_checked: rule.articles,
    ...(status === "escalated" ? { escalation_approved: isAccepted } : {}),
  };
}

function questions(run: ActiveRun | EndedRun, record: PhaseRecord): Record<string, unknown> {
  const isOpen = run.is === "active" && run.wait?.kind === "questions" && run.phases[run.index] === record;
  if (!isOpen && record.made === null) return {};
  return { interactive_elicitation: { completed: !isOpen } };
}

/** Builds `active_workflow.sizing`, with the fields expected by other tools. */
export function sizingRecord({ sizing, effective, by, at }: SizingDecision): Record<string, unknown> {
  const { recommended, rationale, source } = sizing;
  const person = typeof by === "object";
  const overridden = person && effective !== (recommended === "light" ? "light" : "standard");
  return {
    intensity: recommended,
    effective_intensity: effective,
    ...(sizing.metrics ?? UNKNOWN),
    recommended_by: by === "flag" ? "user" : "framework",
    overridden,
    overridden_to: overridden ? effective : null,
    decided_at: at,
    forced_by_flag: by === "flag",
    epic_deferred: recommended === "epic",
    reason: rationale,
    user_prompted: person,
    fallback_source: source === "impact-analysis" ? null : source,
    fallback_attempted: source !== "impact-analysis",
  };
}

const UNKNOWN: SizingMetrics = {
  file_count: 0,
  module_count: 0,
  risk_score: "unknown",
  coupling: "unknown",
  coverage_gaps: 0,
};
