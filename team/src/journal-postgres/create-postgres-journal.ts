import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import type { Command, StartCommand } from "../../../src/core/command.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { Decide, Journal, SubmitResult } from "../../../src/ports/journal.ts";
import type { Seal } from "../../../src/ports/seal.ts";
import type { JournalLines } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { createRun } from "./create-run.ts";
import { catchUp, eventsOfRun, linesAfter, toLoaded, type Store } from "./read-run.ts";
import { submitDecision, type Submission, type WrittenDecision } from "./submit-decision.ts";

export type PostgresJournalOptions = {
  readonly pool: Pool;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly decide: Decide;
  /** What `newest`, `current` and `create` are about: at most one open run at a time. */
  readonly place: string;
  /** For whom `submit` and `create` record. */
  readonly sender: string;
};

export type PostgresJournal = Journal & {
  /** Like `submit`, for whoever sends it. @throws FencedError when a worker does not hold the run any more. */
  submitAs(run: RunId, command: Command, submission: Submission): Promise<SubmitResult>;
  /** The same, with the line that was written for it. */
  writeAs(run: RunId, command: Command, submission: Submission): Promise<WrittenDecision>;
  /** The lines of the journal after an event, as a file would hold them, without the newline. */
  lines(run: RunId, after: number): Promise<JournalLines>;
  /** By the server's key. */
  readonly seal: Seal;
};

const JOURNAL_POLL_INTERVAL_MS = 200; // milliseconds

/** Journals in PostgreSQL: one row is one decision. Any number of these may write at once, in any number of processes. */
export function createPostgresJournal(options: PostgresJournalOptions): PostgresJournal {
  const { pool, seal, clock, decide, place, sender } = options;
  const store: Store = { pool, seal, clock, decide, known: new Map() };
  const by = { kind: "person", id: sender } as const;
  const newest = async (): Promise<RunId | null> => {
    const text = "select run from isdlc.run where place = $1 order by number desc limit 1";
    const { rows } = await pool.query<{ run: RunId }>(text, [place]);
    return rows[0]?.run ?? null;
  };
  const writeAs: PostgresJournal["writeAs"] = (run, command, submission) =>
    submitDecision(store, { run, command, submission });
  const submitAs: PostgresJournal["submitAs"] = async (run, command, submission) => {
    const { line: _line, ...submitted } = await writeAs(run, command, submission);
    return submitted;
  };
  return {
    newest,
    async current() {
      const run = await newest();
      return run === null ? null : { run, ...toLoaded(await catchUp(store, run)) };
    },
    load: async (run) => toLoaded(await catchUp(store, run)),
    events: (run) => eventsOfRun(store, run),
    async lines(run, after) {
      const { lines, countermarks } = await linesAfter(pool, run, after);
      return { lines, countermarks };
    },
    seal,
    submit: (run: RunId, command: Command) => submitAs(run, command, { by }),
    submitAs,
    writeAs,
    create: (run: RunId, start: StartCommand) => createRun(store, { run, start, place }, { by }),
    changed: (run, signal) => untilChanged(store, run, signal),
  };
}

async function untilChanged(store: Store, run: RunId, signal: AbortSignal): Promise<void> {
  const before = store.known.get(run)?.seq ?? 0;
  while (!signal.aborted) {
    const { rows } = await store.pool.query<{ head_seq: number }>("select head_seq from isdlc.run where run = $1", [
      run,
    ]);
    if ((rows[0]?.head_seq ?? 0) !== before) return;
    await delay(JOURNAL_POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined); // told to stop
  }
}
