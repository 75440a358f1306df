import type { Brief, RunEvent } from "../../schema/event.ts";
import type { CheckResult } from "../../schema/facts.ts";
import type { PhaseKey, TreeId } from "../../schema/ids.ts";
import { isFailure } from "../baseline.ts";
import { addUsage, smaller } from "../budget.ts";
import { hasChangedNothing } from "../changes/changed-code.ts";
import type { EventOf, Handlers } from "./evolve.ts";
import {
  type ActiveRun,
  currentPhase,
  type Draft,
  isExecuting,
  type PhaseRecord,
  type Stage,
  type AttemptState,
} from "../run.ts";
import { changed, enter, open, patch, recordUserEdit, watchUserEdits } from "./changes.ts";

type AttemptEventType =
  | "attempt.started"
  | "execution.started"
  | "execution.ended"
  | "draft.produced"
  | "questions.asked"
  | "questions.answered"
  | "checks.passed"
  | "checks.recorded"
  | "checks.failed"
  | "verdict.given";

export const unproven: AttemptState = {
  turns: 0,
  verdicts: 0,
  failures: 0,
  sameFailure: null,
  idle: 0,
  broken: 0,
  trouble: null,
  replies: [],
  session: null,
};

type TreesOfPhase = Pick<PhaseRecord, "firstTree" | "bases" | "earlierWork" | "returnTree">;

/** After a return, a phase keeps its first tree but has no first commit. */
function treesAtEntry(phase: PhaseRecord | undefined, { tree, bases }: EventOf<"attempt.started">): TreesOfPhase {
  if (bases !== undefined) return { firstTree: bases.own, bases, earlierWork: null, returnTree: tree };
  if (phase === undefined) return { firstTree: tree, bases: null, earlierWork: null, returnTree: null };
  const isReturned = phase.firstTree !== null && phase.firstCommit === null;
  const returnTree = phase.returnTree ?? (isReturned ? tree : null);
  return { firstTree: phase.firstTree ?? tree, bases: phase.bases, earlierWork: null, returnTree };
}

/** Completes records of earlier work: the first tree seen after a return is the tree at the return. */
function withReturnTree(run: ActiveRun, tree: TreeId): ActiveRun {
  if (!run.phases.some(({ earlierWork }) => earlierWork?.returnedAt === null)) return run;
  const phases = run.phases.map((phase) => {
    const { earlierWork } = phase;
    if (earlierWork === null || earlierWork.returnedAt !== null) return phase;
    return { ...phase, earlierWork: { ...earlierWork, to: earlierWork.to ?? tree, returnedAt: tree } };
  });
  return changed(run, { phases });
}

/** Completes records of skipped phases with the first tree seen after them. */
function withLeftTree(run: ActiveRun, tree: TreeId): ActiveRun {
  const isIncomplete = ({ status, leftTree }: PhaseRecord): boolean => status === "skipped" && leftTree === null;
  if (!run.phases.some(isIncomplete)) return run;
  const phases = run.phases.map((phase) => (isIncomplete(phase) ? { ...phase, leftTree: tree } : phase));
  return changed(run, { phases });
}

export const attemptHandlers: Handlers<AttemptEventType> = {
  "attempt.started": (started, event) => {
    const edited = changed(recordUserEdit(started, event.tree), { untouched: null });
    const run = event.tree === null ? edited : withLeftTree(withReturnTree(edited, event.tree), event.tree);
    const phase = currentPhase(run);
    const entered = patch(run, {
      status: "in_progress",
      attempts: event.attempt,
      startedAt: phase?.startedAt ?? event.at,
      completedAt: null,
      made: null,
      ...treesAtEntry(phase, event),
      firstCommit: phase?.firstCommit ?? event.commit,
      firstStanding: phase?.firstStanding ?? event.standing ?? null,
    });
    const work = { ...unproven, session: conversationFor(run, event.brief) };
    return enter(entered, event, { is: "producing", work, brief: event.brief, claim: null });
  },
  "execution.started": (run, event) => {
    const { stage } = run;
    if (!isExecuting(stage)) return run;
    const phase = currentPhase(run);
    const bySession = phase?.bySession ?? (event.claim.session === undefined ? undefined : true);
    const edited = recordUserEdit(run, event.tree ?? null);
    const known = stage.is === "producing" ? changed(edited, { untouched: null }) : edited; // reviewers only read
    const counted = patch(known, { executions: (phase?.executions ?? 0) + 1, bySession });
    return enter(counted, event, { ...stage, claim: event.claim });
  },
  "execution.ended": (run, event) => {
    const { stage } = run;
    if (!isExecuting(stage)) return run;
    const broken = event.how === "failed" ? stage.work.broken + 1 : event.how === "done" ? 0 : stage.work.broken;
    const session = stage.is === "producing" ? (event.session ?? stage.work.session) : stage.work.session;
    const trouble = event.how === "failed" ? endCode(event) : null;
    const work = { ...stage.work, broken, session, trouble };
    const measured = learnt(run, event);
    const left = stage.is === "producing" ? watchUserEdits(measured, event.tree ?? null) : measured;
    const told = patch(left, used(currentPhase(run), event, session));
    return enter(told, event, { ...stage, claim: null, work });
  },
  "draft.produced": (run, event) =>
    within(run, (work) => {
      const { summary, decisions, artifacts } = event;
      const unguarded = event.unguarded === undefined ? [] : [event.unguarded];
      const told = { concerns: [...leftBehind(event.dropped ?? []), ...unguarded], denied: event.denied ?? [] };
      const adopted = event.adopted === undefined ? {} : { adopted: event.adopted };
      const draft = { summary, decisions, artifacts, ...unexamined, ...told, ...adopted };
      return enter(run, event, { is: "checking", work: { ...work, turns: work.turns + 1 }, draft });
    }),
  "questions.asked": (run, event) => open(run, event, { kind: "questions", questions: event.questions }),
  "questions.answered": (run, event) =>
    within(run, (work) => {
      const asked = run.wait?.kind === "questions" ? run.wait.questions : [];
      const replied = asked.map((question) => ({
        ...question,
        reply: event.replies.find((reply) => reply.id === question.id)?.text ?? null,
      }));
      const next = { ...work, turns: work.turns + 1, replies: [...work.replies, ...replied] };
      return produceAgain(run, event, { work: next, brief: { why: "answers", text: "" } });
    }),
  "checks.passed": checked,
  "checks.recorded": checked,
  "checks.failed": (run, event) =>
    within(run, (work) => {
      const times = work.sameFailure?.digest === event.digest ? work.sameFailure.times + 1 : 1;
      const idle = work.idle + (hasChangedNothing(event.results) ? 1 : 0);
      const next = { ...work, failures: work.failures + 1, sameFailure: { digest: event.digest, times }, idle };
      const left = watchUserEdits(run, event.tree ?? null);
      const counted = patch(left, { checkFailures: (currentPhase(run)?.checkFailures ?? 0) + 1 });
      return produceAgain(counted, event, {
        work: next,
        brief: { why: "checks", text: failureText(event.results) },
      });
    }),
  "verdict.given": (before, event) => {
    const { stage } = before;
    if (stage.is !== "reviewing") return before;
    const isByReviewer = (event.written ?? []).length > 0; // these files are no user edits
    const run = isByReviewer ? changed(before, { untouched: null }) : before;
    const iteration = { issues: event.issues, approved: event.approved, changed: event.changed ?? null };
    const counted = patch(run, { iterations: [...(currentPhase(run)?.iterations ?? []), iteration] });
    const work = { ...stage.work, verdicts: stage.work.verdicts + 1 };
    if (event.leadsTo === "produce")
      return produceAgain(counted, event, { work, brief: { why: "findings", text: event.concerns.join("\n") } });
    const { approved, issues } = event;
    const concerns = [...stage.draft.concerns, ...event.concerns];
    const draft = { ...stage.draft, approved, issues, concerns, written: event.written ?? [] };
    return enter(counted, event, { is: "completing", work, draft });
  },
};

/** Continues with the review, or completes the attempt without one. */
function checked(run: ActiveRun, event: EventOf<"checks.passed" | "checks.recorded">): ActiveRun {
  const { stage } = run;
  if (stage.is !== "checking") return run;
  const draft = { ...stage.draft, checks: event.results, testsChanged: event.testsChanged };
  const work = { ...stage.work, sameFailure: null };
  return event.leadsTo === "review"
    ? enter(run, event, { is: "reviewing", work, draft, claim: null })
    : enter(run, event, { is: "completing", work, draft });
}

const unexamined: Pick<Draft, "checks" | "testsChanged" | "issues" | "approved" | "written"> = {
  checks: [],
  testsChanged: null,
  issues: [],
  approved: false,
  written: [],
};

const leftBehind = (paths: readonly string[]): string[] =>
  paths.length === 0 ? [] : [`Not kept, as it lies outside of the item's folder or is a link: ${paths.join(", ")}`];

function within(run: ActiveRun, change: (work: AttemptState) => ActiveRun): ActiveRun {
  return "work" in run.stage ? change(run.stage.work) : run;
}

function produceAgain(run: ActiveRun, event: RunEvent, next: { work: AttemptState; brief: Brief }): ActiveRun {
  const stage: Stage = { is: "producing", ...next, claim: null };
  return changed(run, { stage, since: event.seq, sinceAt: event.at, wait: null });
}

function failureText(results: readonly CheckResult[]): string {
  return results
    .filter(isFailure)
    .map((result) => `${result.name}: ${result.detail}`)
    .join("\n");
}

type ExecutionEndEvent = EventOf<"execution.ended">;

/** Older journals contain the code only at the start of the reason. */
const endCode = ({ code, reason }: ExecutionEndEvent): string | null => code ?? reason?.split(":", 1)[0] ?? null;

/**
 * Updates the run's usage data: if any usage was impossible, if any cost was estimated, and the lowest usage of an
 * execution. Most executions change none of them.
 */
function learnt(run: ActiveRun, { how, usage, nonsense, estimated }: ExecutionEndEvent): ActiveRun {
  if (nonsense !== true && estimated !== true && (how !== "done" || usage === null)) return run;
  return changed(run, {
    unknownUsage: run.unknownUsage || nonsense === true,
    estimatedCost: run.estimatedCost || estimated === true,
    leastUsage: how === "done" && usage !== null ? smaller(run.leastUsage, usage) : run.leastUsage,
  });
}

/** Adds an execution's usage to its phase. */
function used(
  phase: PhaseRecord | undefined,
  { usage }: ExecutionEndEvent,
  session: string | null,
): Partial<PhaseRecord> {
  if (phase === undefined) return {};
  const tells = usage !== null && usage.input !== null && usage.output !== null;
  return {
    usage: addUsage(phase.usage, usage),
    missingUsage: phase.missingUsage + (tells ? 0 : 1),
    missingCost: phase.missingCost + ((usage?.usd ?? null) === null ? 1 : 0),
    repeatedInput: phase.repeatedInput + (phase.executions > 1 ? (usage?.input ?? 0) : 0),
    session,
  };
}

/**
 * Returns the session to continue. A redo continues the session that its guidance refers to. Analysis phases with the
 * same agent may share one.
 */
function conversationFor(run: ActiveRun, { why }: Brief): string | null {
  const phase = currentPhase(run);
  if (why === "redo") return phase?.session ?? null;
  const before = run.phases.slice(0, run.index).findLast(({ session }) => session !== null);
  const shares = run.run.options.session === "shared" && why === "first" && phase?.rule.analysis === true;
  if (!shares || before === undefined || !before.rule.analysis) return null;
  return agentDigest(run, before.rule.key) === agentDigest(run, phase.rule.key) ? before.session : null;
}

const agentDigest = ({ run }: ActiveRun, key: PhaseKey): string => (run.agents?.[key] ?? run.agent).digest;
