import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "pg";
import type { Command, StartCommand } from "../../../src/core/command.ts";
import type { Decide, Journal, SubmitResult, Seal } from "../../../src/ports/journal.ts";
import type { JournalLines } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { createRun } from "./create-run.ts";
import { catchUp, eventsOfRun, linesAfter, toLoaded, type Store } from "./read-run.ts";
import { submitDecision, type Submission, type WrittenDecision } from "./submit-decision.ts";
import type { Clock } from "../../../src/ports/processes.ts";

export type PostgresJournalOptions = {
  readonly pool: Pool;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly decide: Decide;
  /** Scope of `newest`, `current` and `create`: has at most one open run. */
  readonly place: string;
  /** Sender of `submit` and `create`. */
  readonly sender: string;
};

export type PostgresJournal = Journal & {
  /** Like `submit`, with an explicit sender. @throws FencedError if a worker no longer holds the run */
  submitAs(run: RunId, command: Command, submission: Submission): Promise<SubmitResult>;
  /** Like `submitAs`, and returns the written line. */
  writeAs(run: RunId, command: Command, submission: Submission): Promise<WrittenDecision>;
  /** Journal lines after an event, as in a file, without newlines. */
  lines(run: RunId, after: number): Promise<JournalLines>;
  /** Seal with the server's key. */
  readonly seal: Seal;
};

const JOURNAL_POLL_INTERVAL_MS = 200;

/**
 * Stores journals in PostgreSQL, one row for each decision. Any number of instances and processes can write
 * concurrently.
 */
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
    await delay(JOURNAL_POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined); // aborted
  }
}
