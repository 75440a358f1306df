import type { Pool } from "pg";
import { next } from "../../../src/core/next.ts";
import {
  type Beat,
  type BeatAnswer,
  type GiveBack,
  keptRef,
  type KeptWork,
  type Lease,
  type LeftBranchNote,
} from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { PostgresJournal } from "../journal-postgres/create-postgres-journal.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import type { ServerMetrics } from "../operations/metrics.ts";
import type { DriveQueue } from "./drive-queue.ts";

export type LeaseKeeper = {
  readonly pool: Pool;
  readonly queue: DriveQueue;
  readonly journal: PostgresJournal;
  readonly metrics: ServerMetrics;
};

/** Drives of a run that may break off one after the other before a person is asked. */
const MOST_FAILURES = 5;

/** The drive that was asked for last gets the run, whoever carries it out; whoever had it before is fenced off. */
export async function takeLease(
  pool: Pool,
  run: RunId,
  by: { worker: string; workflow: string },
): Promise<Lease | null> {
  const { rows } = await pool.query<Lease>(
    `update isdlc.run r set epoch = epoch + 1, worker = $2
     where run = $1 and rests = 'action' and workflow = $3
     returning epoch, left_tree as left, start, begun_by as "begunBy",
       (select remote from isdlc.repository where name = r.repository) as remote`,
    [run, by.worker, by.workflow],
  );
  return rows[0] ?? null;
}

export type Beating = Beat & { readonly worker: string };

/** Notes that a worker lives, and tells which of its runs are still its own. */
export async function noteBeat(keeper: LeaseKeeper, beating: Beating): Promise<BeatAnswer> {
  const { pool } = keeper;
  const { worker, instance, runs, generation, version } = beating;
  const { rows: earlier } = await pool.query<{ instance: string }>(
    "select instance from isdlc.worker where id = $1 and instance <> $2",
    [worker, instance],
  );
  // A process that took the name over knows nothing of what the one before it drove.
  if (earlier.length > 0) await freeRuns(keeper, { where: "worker = $1", values: [worker], failures: 0 });
  const { rows } = await pool.query<BeatAnswer["held"][number]>(
    `with noted as (
       insert into isdlc.worker (id, instance, generation, version) values ($1, $2, $4, $5)
       on conflict (id) do update set
         beat = worker.beat + 1, beat_at = now(), instance = $2, generation = $4, version = $5)
     select run, epoch, head_seq as seq from isdlc.run where run = any($3) and worker = $1`,
    [worker, instance, runs, generation, version],
  );
  return { held: rows };
}

/** Frees everything that a worker drives which was not heard of since that beat. */
export const freeLost = (keeper: LeaseKeeper, worker: string, beat: string): Promise<readonly RunId[]> =>
  freeRuns(keeper, {
    where: "worker = $1 and exists (select 1 from isdlc.worker where id = $1 and beat = $2)",
    values: [worker, beat],
    failures: 0,
  });

/** Frees a run whose drive was taken from the queue by a worker that never asked for the lease. */
export const freeUntaken = (keeper: LeaseKeeper, run: RunId, workflow: string): Promise<readonly RunId[]> =>
  freeRuns(keeper, { where: "run = $1 and worker is null and workflow = $2", values: [run, workflow], failures: 1 });

/** Asks for a drive of every run that can go on; after a restore, when the queue is empty. */
export const askAgainForAll = (keeper: Pick<LeaseKeeper, "pool" | "queue">): Promise<readonly RunId[]> =>
  freeRuns(keeper, { where: "true", values: [], failures: 0 });

/** Asks again for a drive that only workers of before would take, where none of them is left. */
export const renewDrive = (keeper: LeaseKeeper, run: RunId, workflow: string): Promise<readonly RunId[]> =>
  freeRuns(keeper, { where: "run = $1 and worker is null and workflow = $2", values: [run, workflow], failures: 0 });

/** A worker that was fenced off tells where it put what it had not pushed. It was its run, so it had a lower epoch. */
export async function noteKeptWork(pool: Pool, run: RunId, by: KeptWork & { worker: string }): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into isdlc.kept_work (run, epoch, worker, ref, commit)
     select run, $2, $3, $4, $5 from isdlc.run where run = $1 and epoch > $2 on conflict do nothing`,
    [run, by.epoch, by.worker, keptRef(run, by.epoch), by.commit],
  );
  return rowCount === 1;
}

/** What the discard that a worker carries out could not delete, told before the end is recorded. */
export async function noteLeftBranch(pool: Pool, run: RunId, by: LeftBranchNote & { worker: string }): Promise<void> {
  const left = by.left === null ? null : JSON.stringify(by.left);
  await pool.query("update isdlc.run set left_branch = $4 where run = $1 and worker = $2 and epoch = $3", [
    run,
    by.worker,
    by.epoch,
    left,
  ]);
}

/** A worker does not go on with a run: somebody else will, and not at once where it broke off. */
export async function giveBack(
  keeper: LeaseKeeper,
  held: { readonly run: RunId; readonly worker: string },
  { epoch, why, detail, choices }: GiveBack,
): Promise<void> {
  const { run, worker } = held;
  const values = [run, worker, epoch];
  const where = "run = $1 and worker = $2 and epoch = $3";
  if (why === "refused") {
    await keeper.pool.query(
      `update isdlc.run set rests = 'ended', refused = $4, choices = $5, worker = null, workflow = null
       where ${where} and head_seq = 0`,
      [...values, detail, JSON.stringify(choices)],
    );
    return;
  }
  const { rows } = await keeper.pool.query<{ failures: number }>(
    `select failures from isdlc.run where ${where}`,
    values,
  );
  const failures = rows[0]?.failures ?? 0;
  if (why === "broken" && failures + 1 >= MOST_FAILURES) return escalate(keeper, held, detail);
  await freeRuns(keeper, { where, values, failures: why === "broken" ? 1 : 0 });
}

/** A loop that repeats what fails for ever cannot be written: a person is asked. */
async function escalate(
  { pool, journal }: LeaseKeeper,
  { run, worker }: { run: RunId; worker: string },
  detail: string,
) {
  const { state } = await journal.load(run);
  const now = next(state);
  if (state.is === "none")
    await pool.query(
      "update isdlc.run set rests = 'ended', refused = $3, worker = null where run = $1 and worker = $2",
      [run, worker, detail],
    );
  if (now.is !== "action") return;
  const outcome = { of: now.step, failed: "worker_failed", detail };
  const by = { kind: "server", id: "server" } as const;
  await journal.submitAs(run, { do: "report", ticket: now.ticket, outcome }, { by });
}

type Freeing = { readonly where: string; readonly values: readonly unknown[]; readonly failures: number };
type FreedRow = {
  readonly run: RunId;
  readonly epoch: number;
  readonly failures: number;
  readonly before: string | null;
};

/** Raises the epoch, so that whoever drove before is fenced off, and asks for another drive. */
async function freeRuns(
  { pool, queue }: Pick<LeaseKeeper, "pool" | "queue">,
  { where, values, failures }: Freeing,
): Promise<readonly RunId[]> {
  const freed = await inTransaction(pool, async (client) => {
    const { rows } = await client.query<FreedRow>(
      `with freed as (select run, workflow from isdlc.run where rests = 'action' and ${where} for update)
       update isdlc.run r set worker = null, epoch = r.epoch + 1, failures = r.failures + ${failures}
       from freed where r.run = freed.run
       returning r.run, r.epoch, r.failures, freed.workflow as before`,
      [...values],
    );
    for (const row of rows)
      await queue.ask(client, row.run, {
        id: `drive:${row.run}:e${row.epoch}`,
        delaySeconds: row.failures === 0 ? 0 : 2 ** (row.failures - 1),
      });
    return rows;
  });
  for (const { before } of freed) if (before !== null) await queue.cancel(before);
  return freed.map(({ run }) => run);
}
