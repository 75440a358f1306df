import type { ClientBase } from "pg";
import type { Cursor } from "../../../src/adapters/journal/fold.ts";
import type { Command } from "../../../src/core/command.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { RunState } from "../../../src/core/run.ts";
import type { SubmitResult } from "../../../src/ports/journal.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { appendDecision, type PreparedDecision, prepareDecision, type SubmissionDetails } from "./append-decision.ts";
import { inTransaction } from "./in-transaction.ts";
import { catchUp, eventsOfRun, toLoaded, type Queryable, remember, type Store } from "./read-run.ts";

export type RecordedDecision = Extract<SubmitResult, { ok: true }>;

export type Submission = SubmissionDetails & {
  /** Changes in the same transaction as the decision. */
  readonly also?: (client: ClientBase, before: RunState, after: RecordedDecision) => Promise<void>;
};

/** The sender no longer holds the run. Nothing was recorded. */
export class FencedError extends Error {}

/** The sender's token is no longer valid. Nothing was recorded. */
export class TokenRefusedError extends Error {}

/** `line`: the written line without newline; null if nothing was written. */
export type WrittenDecision = SubmitResult & { readonly line: string | null };

type DecisionRequest = { readonly run: RunId; readonly command: Command; readonly submission: Submission };

/** `cursor` is remembered once the decision is durable. Null if another writer was first. */
type SubmitAttempt = { readonly submitted: WrittenDecision; readonly cursor: Cursor } | null;

/** Lost races before a writer locks the run: with many writers, some would starve. */
const MAX_RACES = 3;

/** Decides on the last known state, and again on the current state if another writer was first. */
export async function submitDecision(store: Store, asked: DecisionRequest): Promise<WrittenDecision> {
  for (let races = 0; ; races++) {
    const tried =
      races < MAX_RACES && asked.submission.also === undefined
        ? await tryToSubmit(store, asked, store.pool)
        : await inTransaction(store.pool, (client) => submitAlone(store, asked, { client, waits: races >= MAX_RACES }));
    if (tried !== null) {
      if (tried.cursor.seq > 0) remember(store, tried.cursor);
      return tried.submitted;
    }
    await catchUp(store, asked.run);
  }
}

async function submitAlone(
  store: Store,
  asked: DecisionRequest,
  turn: { client: ClientBase; waits: boolean },
): Promise<SubmitAttempt> {
  const { client, waits } = turn;
  if (waits) {
    await client.query("select 1 from isdlc.run where run = $1 for update", [asked.run]);
    await catchUp(store, asked.run, client);
  }
  return tryToSubmit(store, asked, client);
}

async function tryToSubmit(store: Store, asked: DecisionRequest, client: Queryable): Promise<SubmitAttempt> {
  const remembered = store.known.get(asked.run);
  const early = remembered === undefined ? null : store.decide(remembered.state, asked.command);
  const isToWrite = early?.ok === true && early.events.length > 0;
  // The remembered state may be old: a refusal is decided on the current one.
  const cursor = remembered !== undefined && isToWrite ? remembered : await catchUp(store, asked.run, client);
  const decision = isToWrite ? early : store.decide(cursor.state, asked.command);
  if (!decision.ok) {
    if (await wasRecorded(client, asked)) return { cursor, submitted: await repeated(store, asked, cursor) };
    await refuseTakenOver(client, asked);
    return { cursor, submitted: { ok: false, ...toLoaded(cursor), refusal: decision.refusal, line: null } };
  }
  if (cursor.seq === 0 && asked.command.do !== "start") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  if (decision.events.length === 0)
    return { cursor, submitted: { ok: true, ...toLoaded(cursor), events: [], line: null } };
  return write(store, asked, { client, prepared: prepareDecision(store, cursor, decision.events) });
}

type DecisionWrite = { readonly client: Queryable; readonly prepared: PreparedDecision };

async function write(
  store: Store,
  asked: DecisionRequest,
  { client, prepared }: DecisionWrite,
): Promise<SubmitAttempt> {
  const { run, submission } = asked;
  const appended = await appendDecision(client, prepared, submission);
  switch (appended) {
    case "recorded": {
      const submitted: RecordedDecision = { ok: true, ...toLoaded(prepared.after), events: prepared.events };
      await submission.also?.(client as ClientBase, prepared.from.state, submitted); // with `also` it is a transaction
      return { cursor: prepared.after, submitted: { ...submitted, line: prepared.line } };
    }
    case "repeated": {
      const cursor = await catchUp(store, run, client);
      return { cursor, submitted: await repeated(store, asked, cursor) };
    }
    case "moved":
      return null;
    case "unknown":
      throw new TokenRefusedError(`The token of ${submission.by.id} is not good any more.`);
    case "fenced":
      throw fenced(asked);
    case "away":
      throw new ProblemError({ code: "RUN_AWAY", run, to: await whereItIs(client, run) });
    case "missing":
      throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
    default:
      return appended satisfies never;
  }
}

async function whereItIs(client: Queryable, run: RunId): Promise<string> {
  const { rows } = await client.query<{ to: string }>(`select moved_to as "to" from isdlc.run where run = $1`, [run]);
  return rows[0]?.to ?? "another place";
}

/**
 * Returns true if the request was already recorded and its reply was lost. The rules refuse the repeated request, but
 * it succeeded.
 */
async function wasRecorded(client: Queryable, { run, submission }: DecisionRequest): Promise<boolean> {
  if (submission.request === undefined) return false;
  const { rowCount } = await client.query("select 1 from isdlc.decision where run = $1 and request = $2", [
    run,
    submission.request,
  ]);
  return rowCount === 1;
}

/** If another worker took the run over and it advanced, the rules refuse the report. This error names the reason. */
async function refuseTakenOver(client: Queryable, asked: DecisionRequest): Promise<void> {
  const { by } = asked.submission;
  if (by.kind !== "worker") return;
  const { rows } = await client.query<{ epoch: number }>("select epoch from isdlc.run where run = $1", [asked.run]);
  if (rows[0] !== undefined && rows[0].epoch !== by.epoch) throw fenced(asked);
}

const fenced = ({ run, submission }: DecisionRequest): FencedError =>
  new FencedError(`${submission.by.id} does not drive run ${run} any more.`);

async function repeated(
  store: Store,
  { run, submission }: DecisionRequest,
  cursor: Cursor,
): Promise<RecordedDecision & WrittenDecision> {
  const { rows } = await store.pool.query<{ seq: number; events: number }>(
    "select seq, events from isdlc.decision where run = $1 and request = $2",
    [run, submission.request],
  );
  const { seq, events } = rows[0] ?? { seq: 0, events: 0 };
  const recorded = (await eventsOfRun(store, run)).slice(seq - 1, seq - 1 + events);
  return { ok: true, ...toLoaded(cursor), events: recorded, line: null };
}
