import type { Decision } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import type { Submitted } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import { headOf } from "./fold.ts";
import type { OpenFile } from "./journal-location.ts";
import { noHead, visit } from "./read-run.ts";
import { append, type CaughtUp, type JournalStore } from "./run-file.ts";

/** What is decided about a state, whatever was asked. */
export type DecideOn = (state: RunState) => Decision;

/** Decides on what is really there. The caller holds the lock. */
export function submitDecision(store: JournalStore, run: RunId, decide: DecideOn): Submitted {
  return visit(store, { run, flags: "change" }, (visited) =>
    visited === null || visited.now.cursor.seq === 0
      ? decideWithoutRun(run, decide)
      : record(store, visited.journal, { now: visited.now, decision: decide(visited.now.cursor.state) }),
  );
}

/** Turns a decision into a record, or passes its refusal on. */
export function record(store: JournalStore, journal: OpenFile, made: { now: CaughtUp; decision: Decision }): Submitted {
  const { now, decision } = made;
  const before = { state: now.cursor.state, head: headOf(now.cursor) };
  if (!decision.ok) return { ok: false, ...before, refusal: decision.refusal };
  if (decision.events.length === 0) return { ok: true, ...before, events: [] };
  const { cursor, events } = append(store, journal, { from: now, drafts: decision.events });
  return { ok: true, state: cursor.state, head: headOf(cursor), events };
}

/** Only `create` begins a journal. */
export function decideWithoutRun(run: RunId, decide: DecideOn): Submitted {
  const decision = decide(noRun);
  if (decision.ok) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  return { ok: false, state: noRun, head: noHead(run), refusal: decision.refusal };
}
