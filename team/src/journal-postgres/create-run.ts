import type { ClientBase } from "pg";
import { type Cursor, emptyCursor } from "../../../src/adapters/journal/fold.ts";
import type { StartCommand } from "../../../src/core/command.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { noRun } from "../../../src/core/run.ts";
import type { SubmitResult } from "../../../src/ports/journal.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { appendDecision, type PreparedDecision, prepareDecision } from "./append-decision.ts";
import { inTransaction } from "./in-transaction.ts";
import { catchUp, toLoaded, remember, type Store } from "./read-run.ts";
import type { RecordedDecision, Submission } from "./submit-decision.ts";

/** `place`: scope with at most one open run. */
export type NewRun = { readonly run: RunId; readonly start: StartCommand; readonly place: string };

/** Starts a run, unless its place has an open one. */
export async function createRun(store: Store, wanted: NewRun, submission: Submission): Promise<SubmitResult> {
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
