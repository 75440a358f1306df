import type { RunEvent } from "../../schema/event.ts";
import { type TreeId, waitId } from "../../schema/ids.ts";
import { currentAttempt } from "../next.ts";
import type { ActiveRun, PhaseRecord, Stage, Wait } from "../run.ts";

/** Returns a copy of the run with some fields changed. */
export const changed = (run: ActiveRun, change: Partial<ActiveRun>): ActiveRun => Object.assign(copyOfRun(run), change);

/** Opens a stage and closes the wait. Outcomes of the stage must name this event. */
export const enter = (run: ActiveRun, event: RunEvent, stage: Stage): ActiveRun =>
  changed(run, { stage, since: event.seq, sinceAt: event.at, wait: null, seq: event.seq });

/** Changes the record of the current phase. */
export function patch(run: ActiveRun, change: Partial<PhaseRecord>): ActiveRun {
  const phase = run.phases[run.index];
  return phase === undefined
    ? run
    : changed(run, { phases: run.phases.with(run.index, Object.assign(copyOfPhase(phase), change)) });
}

export type NewWait = Wait extends infer W ? (W extends Wait ? Omit<W, "id" | "openedAt"> : never) : never;

/** Opens a wait. Its id contains the sequence number and is unique in the run. */
export function open(run: ActiveRun, event: RunEvent, wait: NewWait): ActiveRun {
  const id = waitId(currentAttempt(run), wait.kind, event.seq);
  return changed(run, { wait: { ...wait, id, openedAt: event.at } });
}

/**
 * Records the tree at a gate, after an execution, or after failed checks. No agent runs from here on: a
 * different tree later is a user edit.
 */
export const watchUserEdits = (run: ActiveRun, tree: TreeId | null): ActiveRun =>
  changed(run, { untouched: tree === null ? null : { tree, phase: run.index } });

/** Records differences from the gate's tree as a user edit. Extends the last edit if no agent ran since. */
export function recordUserEdit(run: ActiveRun, tree: TreeId | null): ActiveRun {
  const { untouched, userEdits } = run;
  if (untouched === null || tree === null || untouched.tree === tree) return run;
  const { phase } = untouched;
  const last = userEdits.at(-1);
  const isContinued = last !== undefined && last.phase === phase && last.to === untouched.tree;
  const edit = { phase, from: isContinued ? last.from : untouched.tree, to: tree };
  const earlier = isContinued ? userEdits.slice(0, -1) : userEdits;
  const edits = edit.from === edit.to ? earlier : [...earlier, edit];
  return changed(run, { userEdits: edits, untouched: { ...untouched, tree } });
}

/** Removes user edits at gates of the current and earlier phases: they were accepted, or the phase was skipped. */
export const settleUserEdits = (run: ActiveRun): ActiveRun =>
  changed(run, { userEdits: run.userEdits.filter(({ phase }) => phase > run.index), untouched: null });

/** The same after the user accepted a phase. Edits from here on belong to the next one. */
export const watchAfterAcceptance = (run: ActiveRun, tree: TreeId | null): ActiveRun =>
  changed(settleUserEdits(run), { untouched: tree === null ? null : { tree, phase: run.index + 1 } });

/** Removes user edits at gates of the target phase and later ones: their files are restored. */
export const dropUserEdits = (run: ActiveRun, index: number): ActiveRun =>
  changed(run, { userEdits: run.userEdits.filter(({ phase }) => phase < index), untouched: null });

// Copies field by field; the type requires every field. Node 20 needs ten times as long for `{ ...run }` if `run`
// itself is such a copy, as it is for nearly every event of a journal.

const copyOfRun = (run: ActiveRun): ActiveRun => ({
  is: run.is,
  run: run.run,
  phases: run.phases,
  index: run.index,
  stage: run.stage,
  since: run.since,
  sinceAt: run.sinceAt,
  wait: run.wait,
  tests: run.tests,
  baseline: run.baseline,
  budget: run.budget,
  unknownUsage: run.unknownUsage,
  estimatedCost: run.estimatedCost,
  sealedAt: run.sealedAt,
  leastUsage: run.leastUsage,
  supervision: run.supervision,
  sizing: run.sizing,
  tip: run.tip,
  base: run.base,
  together: run.together,
  refined: run.refined,
  userEdits: run.userEdits,
  untouched: run.untouched,
  answers: run.answers,
  seq: run.seq,
});

const copyOfPhase = (phase: PhaseRecord): PhaseRecord => ({
  rule: phase.rule,
  dropped: phase.dropped,
  status: phase.status,
  attempts: phase.attempts,
  redos: phase.redos,
  redoing: phase.redoing,
  guidance: phase.guidance,
  startedAt: phase.startedAt,
  completedAt: phase.completedAt,
  firstTree: phase.firstTree,
  firstCommit: phase.firstCommit,
  firstStanding: phase.firstStanding,
  returnTree: phase.returnTree,
  bases: phase.bases,
  earlierWork: phase.earlierWork,
  leftTree: phase.leftTree,
  seenTree: phase.seenTree,
  acceptedTree: phase.acceptedTree,
  made: phase.made,
  iterations: phase.iterations,
  checkFailures: phase.checkFailures,
  executions: phase.executions,
  bySession: phase.bySession,
  usage: phase.usage,
  missingUsage: phase.missingUsage,
  missingCost: phase.missingCost,
  repeatedInput: phase.repeatedInput,
  session: phase.session,
  commit: phase.commit,
});
