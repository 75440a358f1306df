import { setTimeout as delay } from "node:timers/promises";
import type { Pool, ClientBase } from "pg";
import type { Command, StartCommand } from "../../../src/core/command.ts";
import type { Decide, Journal, SubmitResult, Seal } from "../../../src/ports/journal.ts";
import type { JournalLines } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { catchUp, eventsOfRun, linesAfter, toLoaded, type Store, remember } from "./read-run.ts";
import { submitDecision, type Submission, type WrittenDecision, type RecordedDecision } from "./submit-decision.ts";
import type { Clock } from "../../../src/ports/processes.ts";
import { type Cursor, emptyCursor } from "../../../src/adapters/journal/fold.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { noRun } from "../../../src/core/run.ts";
import { appendDecision, type PreparedDecision, prepareDecision } from "./append-decision.ts";
import { inTransaction } from "./in-transaction.ts";

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

/** `place`: scope with at most one open run. */
type NewRun = { readonly run: RunId; readonly start: StartCommand; readonly place: string };

/** Starts a run, unless its place has an open one. */
async function createRun(store: Store, wanted: NewRun, submission: Submission): Promise<SubmitResult> {
  const { run, start, place } = wanted;
  const refused = await refusalFor(store, run, place);
  if (refused !== null) return refused;
  const cursor = emptyCursor(run);
  const decision = store.decide(noRun, start);
  if (!decision.ok) return { ok: false, ...toLoaded(cursor), refusal: decision.refusal };
  if (decision.events.length === 0) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const prepared = prepareDecision(store, cursor, decision.events);
  const submitted: RecordedDecision = { ok: true, ...toLoaded(prepared.after), events: prepared.events };
  try {
    await inTransaction(store.pool, async (client) => {
      await insertRun(client, wanted, { submission, cursor });
      await writeFirst(client, prepared, submission);
      await submission.also?.(client, noRun, submitted);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const lost = await refusalFor(store, run, place);
    if (lost === null) throw error;
    return lost;
  }
  remember(store, prepared.after);
  return submitted;
}

async function insertRun(
  client: ClientBase,
  { run, start, place }: NewRun,
  { submission, cursor }: { submission: Submission; cursor: Cursor },
): Promise<void> {
  await client.query(
    "insert into isdlc.run (run, place, title, begun_by, head_hash, rests) values ($1, $2, $3, $4, $5, 'action')",
    [run, place, start.facts.title, submission.by.id, cursor.hash],
  );
}

async function writeFirst(client: ClientBase, prepared: PreparedDecision, submission: Submission): Promise<void> {
  const appended = await appendDecision(client, prepared, submission);
  if (appended !== "recorded") throw new Error(`The first decision of a new run was answered with "${appended}".`);
}

/** Returns a refusal with the open run of the place, or with this run if it was already started; otherwise null. */
async function refusalFor(store: Store, run: RunId, place: string): Promise<SubmitResult | null> {
  const { rows } = await store.pool.query<{ run: string }>(
    "select run from isdlc.run where (place = $1 and rests <> 'ended') or run = $2 order by run <> $2",
    [place, run],
  );
  const [other] = rows;
  if (other === undefined) return null;
  const there = await catchUp(store, other.run);
  if (there.state.is === "active")
    return { ok: false, ...toLoaded(there), refusal: { why: "runActive", run: other.run } };
  if (there.state.is === "ended" && other.run === run)
    return { ok: false, ...toLoaded(there), refusal: { why: "runEnded", how: there.state.how } };
  return null;
}

const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "23505";
