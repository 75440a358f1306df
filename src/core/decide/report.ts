import type { EventDraft } from "../../schema/event.ts";
import type { CheckResult, PhaseOutput, SettingsReading } from "../../schema/facts.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import type { Supervision } from "../../schema/plan.ts";
import { adoptedFailures, draftWithoutAgent, isAdopted } from "../adoption.ts";
import { againstBaseline, isFailure, needsBaseline, newFailures } from "../baseline.ts";
import { draftOutput } from "../evolve/when-accepted.ts";
import { accept, type Decision, type Outcome, refuse, type Report, type SecondLook } from "../command.ts";
import { currentStep, currentTicket } from "../next.ts";
import {
  type ActiveRun,
  currentPhase,
  isExecuting,
  OWN_LINES,
  TESTS_CHANGED,
  TESTS_NOT_STARTED,
  TESTS_SANDBOXED,
  type PhaseRecord,
  UNAVAILABLE,
} from "../run.ts";
import { isGateDue, loosening, readingFor, tighten } from "../supervision.ts";
import { afterPhase, decideSizing, afterBaseline, waysToFinish } from "./after-phase.ts";
import { escalation, budgetAsked, stoppedFor } from "./escalation.ts";
import { abandoned, claimedBy, done, effectiveSizing, failed, usageTold } from "./execution-end.ts";
import { isUnreadable, noVerdict, verdictEvent, checksFailed } from "./verdict.ts";

/** Lines of output (one page) above which a phase with `gate: "large"` always opens a gate. */
export const LARGE_ARTIFACT_LINES = 80;
/** Task lists an agent may write for one design before the run escalates. */
const MAX_TASK_LISTS = 3;
/** Executions in a row without a usable result before the run escalates. */
const MAX_BROKEN = 2;
/** The same limit while the model service is busy or unreachable, which may pass. The agent's own retries count. */
const MAX_UNAVAILABLE = 4;

type Good<K extends Outcome["of"]> = Exclude<Extract<Outcome, { of: K }>, { failed: string }>;
type Handlers = { readonly [K in Outcome["of"]]: (run: ActiveRun, outcome: Good<K>) => Decision };

/**
 * Decides an outcome reported by the engine on an open run. Refuses outcomes of any step but the current one as late.
 */
export function decideReport(run: ActiveRun, report: Report): Decision {
  const expected = run.wait === null ? currentTicket(run) : null;
  if (report.ticket !== expected) return refuse({ why: "lateOutcome", expected });
  const outcome = report.outcome;
  if ("failed" in outcome)
    return outcome.of === currentStep(run)
      ? accept(...abandoned(run, outcome.failed), escalation(run, { reason: outcome.failed, detail: outcome.detail }))
      : refuse({ why: "lateOutcome", expected });
  const handle = handlers[outcome.of] as (run: ActiveRun, outcome: Outcome) => Decision; // keyed by `outcome.of`
  return handle(run, outcome);
}

const handlers: Handlers = {
  claim(run, { claim, prompt, tree }) {
    const { stage } = run;
    if (!isExecuting(stage)) return late(run);
    if (stage.claim !== null) return refuse({ why: "claimed", execution: stage.claim.execution });
    const asked = budgetAsked(run);
    if (asked !== null) return accept(asked);
    const role = stage.is === "reviewing" ? "reviewer" : "phase";
    const told = { ...(prompt === undefined ? {} : { prompt }), ...(tree === undefined ? {} : { tree }) };
    return accept({ type: "execution.started", role, claim, ...told });
  },
  lost(run, { execution, usage = null, session = null, reason = "driver gone", estimated, over, tree }) {
    if (claimedBy(run.stage) !== execution) return late(run);
    const cost = estimated === true ? ({ estimated } as const) : {};
    const ended: EventDraft = {
      type: "execution.ended",
      execution,
      how: "lost",
      reason,
      ...usageTold(usage),
      ...cost,
      session,
      ...(tree === undefined ? {} : { tree }),
    };
    const asked = over === undefined ? null : stoppedFor(run, { usage, estimated, ...over });
    return asked === null ? accept(ended) : accept(ended, asked);
  },
  broken(run, outcome) {
    const { stage } = run;
    if (!isExecuting(stage)) return late(run);
    const over = !outcome.again || stage.work.broken + 1 >= mostBroken(outcome);
    const end = failed(outcome, outcome);
    if (!over) return accept(end);
    return accept(end, isUnreadable(run, outcome) ? noVerdict(outcome.detail) : escalation(run, outcome));
  },
  prepare(run) {
    if (run.stage.is !== "preparing") return late(run);
    return accept({ type: "run.prepared" }, ...(needsBaseline(run) ? [{ type: "baseline.started" } as const] : []));
  },
  baseline(run, { result }) {
    if (run.stage.is !== "baselining") return late(run);
    if (result === null) return accept({ type: "baseline.settled", how: "without", by: "engine" });
    return accept({ type: "baseline.measured", result }, afterBaseline(run, result));
  },
  enter(run, { commit, tree, standing, bases }) {
    const phase = currentPhase(run);
    if (run.stage.is !== "entering" || phase === undefined) return late(run);
    const attempt = phase.attempts + 1;
    const { brief } = run.stage;
    const returned = bases === undefined ? {} : { bases };
    const where = { commit, tree, ...(standing === undefined ? {} : { standing }), ...returned };
    const started: EventDraft = { type: "attempt.started", phase: phase.rule.key, attempt, brief, ...where };
    return accept(started, ...draftWithoutAgent(phase, brief));
  },
  produce(run, outcome) {
    if (run.stage.is !== "producing") return late(run);
    const { status, summary, decisions, artifacts, questions, replies } = outcome.result;
    const end = done(outcome);
    const told = {
      ...(outcome.dropped === undefined ? {} : { dropped: [...outcome.dropped] }),
      ...(outcome.denied === undefined ? {} : { denied: [...outcome.denied] }),
      ...(outcome.unguarded === undefined ? {} : { unguarded: outcome.unguarded }),
      ...((replies ?? []).length === 0 ? {} : { replies: replies ?? [] }),
    };
    if (status === "done") return accept(end, { type: "draft.produced", summary, decisions, artifacts, ...told });
    if (status === "needs_input" && questions.length > 0) return accept(end, { type: "questions.asked", questions });
    return accept(end, escalation(run, { reason: "agent_failed", detail: describeFailure(outcome) }));
  },
  check(run, outcome) {
    const phase = currentPhase(run);
    if (run.stage.is !== "checking" || phase === undefined) return late(run);
    const { testsChanged } = outcome;
    const results = outcome.results.map((result) => againstBaseline(run.baseline, result));
    const leadsTo = afterChecks(phase);
    const isUntrusted = outcome.tests !== undefined; // a changed test command runs only after the user saw it
    if (isAdopted(run.stage.draft) && !isUntrusted)
      return accept({ type: "checks.recorded", results, testsChanged, leadsTo });
    const failed = results.filter(isFailure);
    const blocked =
      failed.length > 0 ? limitedBySandbox(failed) : results.find(({ notStarted }) => notStarted === true);
    if (blocked !== undefined) return accept(blockedBy(run, blocked));
    if (failed.length > 0) return checksFailed(run, { ...outcome, work: run.stage.work, failed, results });
    if (testsChanged !== null && (isUntrusted || !gateWillCome(run, phase)))
      return accept(
        escalation(run, { reason: TESTS_CHANGED, detail: testsChanged, last: "accept", tests: outcome.tests }),
      );
    const told = outcome.checkedBy === undefined ? {} : { checkedBy: [...outcome.checkedBy] };
    return accept({ type: "checks.passed", results, testsChanged, leadsTo, ...told });
  },
  review(run, outcome) {
    const verdict = verdictEvent(run, outcome);
    return verdict === null ? late(run) : accept(done(outcome), verdict);
  },
  judge(run, outcome) {
    const verdict = verdictEvent(run, outcome);
    return verdict === null ? late(run) : accept(verdict);
  },
  complete(run, { made, settings, digest, mixed = [] }) {
    const phase = currentPhase(run);
    if (run.stage.is !== "completing" || phase === undefined) return late(run);
    const failures = adoptedFailures(run.stage.draft);
    const supervision = resolveSupervision(run, settings);
    const changed = JSON.stringify(supervision) !== JSON.stringify(run.supervision);
    const whole: PhaseOutput = { ...draftOutput(run.stage.draft), ...made };
    const paths = mixed.filter((path) => !run.together.includes(path));
    if (paths.length > 0)
      return accept(escalation(run, { reason: OWN_LINES, detail: paths.join("\n"), last: "accept", paths }));
    const due = mustBeShown(phase, whole) || isGateDue(supervision, phase.rule.key);
    return accept(
      { type: "phase.completed", made: whole, settings },
      ...summariesChanged(run, settings),
      ...(changed ? [{ type: "supervision.tightened" as const, supervision }] : []),
      due
        ? { type: "gate.opened", digest, loosened: loosenedSince(run, settings), failures }
        : { type: "phase.accepted", by: "engine" },
    );
  },
  recheck(run, look) {
    if (run.stage.is !== "rechecking") return late(run);
    const { by, loosened } = run.stage;
    const { digest } = look;
    const results = look.results.map((result) => againstBaseline(run.baseline, result));
    const failures = newFailures(run, results);
    return accept(
      recheckedEvent({ ...look, results }),
      failures.length > 0 ? { type: "gate.opened", digest, loosened, failures } : { type: "phase.accepted", by },
    );
  },
  commit(run, outcome) {
    if (run.stage.is !== "accepting") return late(run);
    if (!("differs" in outcome)) return accept({ type: "phase.committed", commit: outcome.commit }, ...afterPhase(run));
    const { digest, results } = outcome.differs;
    const failures = results.filter(({ ok }) => ok === false);
    return accept(recheckedEvent(outcome.differs), { type: "gate.opened", digest, loosened: null, failures });
  },
  measure(run, { sizing }) {
    if (run.stage.is !== "measuring") return late(run);
    const { light, sizing: policy } = run.run.options;
    if (light) return accept(...decideSizing(run, sizing, { effective: "light", by: "flag" }));
    if (policy === "ask") return accept({ type: "sizing.asked", sizing });
    return accept(...decideSizing(run, sizing, { effective: effectiveSizing(sizing), by: "options" }));
  },
  refine(run, outcome) {
    if (run.stage.is !== "refining") return late(run);
    const { artifact, tasks, problems, commit = null } = outcome;
    const end = done(outcome);
    if (problems.length === 0)
      return accept(end, { type: "tasks.refined", artifact, tasks, commit }, ...afterPhase(run, "refinement"));
    const rejected: EventDraft = { type: "tasks.rejected", problems: [...problems] };
    if (run.stage.work.failures + 1 < MAX_TASK_LISTS) return accept(end, rejected);
    return accept(end, rejected, escalation(run, { reason: "invalid_tasks", detail: problems.join("\n") }));
  },
  rewind(run, { kept, restored, commit }) {
    if (run.stage.is !== "rewinding") return late(run);
    return accept({ type: "run.rewound", kept, restored: [...restored], commit });
  },
  finish(run, outcome) {
    if (run.stage.is !== "finishing") return late(run);
    if (!("moved" in outcome))
      return accept({ type: "run.finished", how: run.stage.how ?? "keep", merged: outcome.merged });
    const { moved, standing } = outcome;
    return accept({ type: "finish.asked", options: [...waysToFinish(run)], moved: [...moved], standing });
  },
};

const afterChecks = ({ rule }: PhaseRecord) => (rule.verdicts > 0 ? "review" : "complete");

/** Returns the first failed check if every failure may be caused by the sandbox. */
const limitedBySandbox = (failed: readonly CheckResult[]): CheckResult | undefined =>
  failed.every(({ sandboxLimits = [] }) => sandboxLimits.length > 0) ? failed[0] : undefined;

/** Asks the user about tests that did not start, or may have failed because of the sandbox. */
function blockedBy(run: ActiveRun, { name, detail, notStarted }: CheckResult): EventDraft {
  const reason = notStarted === true ? TESTS_NOT_STARTED : TESTS_SANDBOXED;
  return escalation(run, { reason, detail, last: "accept", checks: [name] });
}

/** True if the gate opens regardless of the supervision. */
function mustBeShown({ rule }: PhaseRecord, made: PhaseOutput): boolean {
  const large = rule.gate === "large" && made.lines > LARGE_ARTIFACT_LINES;
  const isUnshown = (made.unshown ?? []).length > 0; // otherwise the commit would contain them unseen
  const isHooked = made.plainTree !== undefined; // hooks changed the commit
  return large || isUnshown || isHooked || rule.gate === "always";
}

function recheckedEvent({ edited, tree, results, ...beside }: SecondLook): EventDraft {
  const { commitTree, proposedCommit, plainTree, wholeTree, standing, notices } = beside;
  const given = { commitTree, proposedCommit, plainTree, wholeTree, standing, notices };
  const found = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const files = edited === null ? null : [...edited];
  return { type: "phase.rechecked", edited: files, tree, results: [...results], ...found };
}

/** Counts the agent's own retries, to avoid multiplying them. */
const mostBroken = ({ reason, retries = 0 }: Pick<Good<"broken">, "reason" | "retries">): number =>
  reason === UNAVAILABLE ? Math.max(1, MAX_UNAVAILABLE - retries) : MAX_BROKEN;

/** Describes the failure in the agent's words, with denied requests as a possible cause. */
function describeFailure({ result: { status, summary }, denied = [] }: Good<"produce">): string {
  const why = status === "failed" ? summary : `It needs input but asked nothing. ${summary}`;
  return denied.length === 0 ? why : `${why}\nNot allowed: ${denied.join(", ")}`;
}

/**
 * Returns the supervision in force. A run started without gates keeps its own while the settings are unchanged;
 * settings tightened since then apply at once.
 */
function resolveSupervision(run: ActiveRun, settings: SettingsReading): Supervision {
  const isSetAside = run.run.options.supervised === false && isAsBegun(run, settings);
  return isSetAside ? run.supervision : tighten(run.supervision, readingFor(settings, workflowPhases(run)));
}

const isAsBegun = ({ run }: ActiveRun, settings: SettingsReading): boolean =>
  JSON.stringify(run.settings) === JSON.stringify(settings);

/**
 * Returns relaxed settings for the user to confirm. Null if the settings are unchanged since the start, whatever flags
 * the run was started with.
 */
function loosenedSince(run: ActiveRun, settings: SettingsReading): Supervision | null {
  if (isAsBegun(run, settings)) return null;
  return loosening(run.supervision, readingFor(settings, workflowPhases(run)));
}

const workflowPhases = ({ run, phases }: ActiveRun): readonly PhaseKey[] =>
  run.workflowPhases ?? phases.map(({ rule }) => rule.key);

/** Ignores a settings block that is missing or unreadable. */
function summariesChanged({ run }: ActiveRun, settings: SettingsReading): EventDraft[] {
  if (settings.is !== "set" || settings.minimal === run.minimalSummary) return [];
  return [{ type: "summaries.changed", minimal: settings.minimal }];
}

const gateWillCome = (run: ActiveRun, phase: PhaseRecord): boolean =>
  phase.rule.gate === "always" || isGateDue(run.supervision, phase.rule.key);

const late = (run: ActiveRun): Decision => refuse({ why: "lateOutcome", expected: currentTicket(run) });
