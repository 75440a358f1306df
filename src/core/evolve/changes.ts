import type { RunEvent } from "../../schema/event.ts";
import { waitId } from "../../schema/ids.ts";
import { attemptOf } from "../next.ts";
import type { ActiveRun, PhaseRecord, Stage, Wait } from "../run.ts";

/** Opens a stage: its outcomes must name this event. */
export const enter = (run: ActiveRun, event: RunEvent, stage: Stage): ActiveRun => ({
  ...run,
  stage,
  since: event.seq,
  wait: null,
  seq: event.seq,
});

/** Changes what is known about the current phase. */
export function patch(run: ActiveRun, change: Partial<PhaseRecord>): ActiveRun {
  const phase = run.phases[run.index];
  return phase === undefined ? run : { ...run, phases: run.phases.with(run.index, { ...phase, ...change }) };
}

export type NewWait = Wait extends infer W ? (W extends Wait ? Omit<W, "id" | "openedAt"> : never) : never;

/** Opens a wait; its id holds the sequence number, so no two waits of a run are alike. */
export function open(run: ActiveRun, event: RunEvent, wait: NewWait): ActiveRun {
  const id = waitId(attemptOf(run), wait.kind, event.seq);
  return { ...run, wait: { ...wait, id, openedAt: event.at } };
}
