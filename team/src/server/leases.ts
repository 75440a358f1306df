import type { Pool } from "pg";
import { next } from "../../../src/core/next.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import {
  type Beat,
  type BeatAnswer,
  type GiveBack,
  keptRef,
  type KeptWork,
  type LeftBranchNote,
} from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { PostgresJournal } from "../journal-postgres/create-postgres-journal.ts";
import type { ServerMetrics } from "../operations/metrics.ts";
import { IN_SCOPE } from "../people/worker-scope.ts";
import { GENERATION, MAX_PAUSE_SECONDS } from "./drive-queue.ts";

export type LeaseKeeper = {
  readonly pool: Pool;
  readonly journal: PostgresJournal;
  readonly metrics: ServerMetrics;
  readonly limits: LeaseLimits;
};

export type LeaseLimits = {
  /** Maximum silence of a worker in milliseconds. */
  readonly lease: number;
  /** Maximum number of concurrent drives of a process. */
  readonly drives: number;
  /** Maximum number of live processes per token. */
  readonly instances: number;
};

/** Consecutive failed drives of a run before a user is asked. */
const MAX_FAILURES = 5;
/** The same for drives that failed because of their workers: the cause may be the run. */
const MAX_WORKER_FAULTS = 20;

/** A process of a worker. */
export type Holder = { readonly worker: string; readonly instance: string };

export type WorkerBeat = Beat & Holder;

/**
 * Milliseconds. A run that its process does not report this long after the claim is freed: the reply with the lease
 * was lost.
 */
const UNREPORTED_RUN_TIMEOUT_MS = 60_000;

/**
 * Records a heartbeat, and returns the reported runs still held by the process. @throws ProblemError NOT_ALLOWED if
 * too many processes use the token
 */
export async function noteBeat(keeper: LeaseKeeper, beating: WorkerBeat): Promise<BeatAnswer> {
  const { pool, limits } = keeper;
  const { worker, instance, replaces, runs, generation, version, fault, waiting } = beating;
  if (replaces !== null && replaces !== instance) await endInstance(keeper, { worker, instance: replaces });
  const { rowCount } = await pool.query(
    `insert into isdlc.worker (id, instance, generation, version, trouble, trouble_since)
     select $1, $2, $3, $4, $7, case when $7::text is not null then now() end where exists (select 1 from isdlc.worker where id = $1 and instance = $2)
       or (select count(*) from isdlc.worker where id = $1 and beat_at > now() - make_interval(secs => $5)) < $6
     on conflict (id, instance) do update set
       beat = worker.beat + 1, beat_at = now(), generation = $3, version = $4, trouble = $7,
       trouble_since = case when $7::text is not null then coalesce(worker.trouble_since, now()) end`,
    [worker, instance, generation, version, limits.lease / 1000, limits.instances, fault],
  );
  if (rowCount !== 1) throw tooManyInstances(worker, limits.instances);
  await freeUnreported(keeper, beating);
  await freeOutOfScope(keeper, beating);
  for (const wait of waiting) await noteHostWait(pool, worker, wait);
  const { rows } = await pool.query<BeatAnswer["held"][number]>(
    `select run, epoch, head_seq as seq from isdlc.run
     where run = any($3) and worker = $1 and instance = $2`,
    [worker, instance, runs],
  );
  return { held: rows };
}

/** The next record with a pushed tree ends the wait. */
async function noteHostWait(pool: Pool, worker: string, { run, epoch, error }: WorkerBeat["waiting"][number]) {
  await pool.query(
    `update isdlc.run set host_since = coalesce(host_since, now()), host_detail = $4
     where ${HELD_IN_EPOCH} and rests = 'action' and (host_since is null or host_detail is distinct from $4)`,
    [run, worker, epoch, error],
  );
}

/** Frees the runs of the previous process in the data folder, which has exited. */
async function endInstance(keeper: LeaseKeeper, { worker, instance }: Holder): Promise<void> {
  await freeRuns(keeper, { where: HELD_BY, values: [worker, instance], change: "takeover" });
  await keeper.pool.query("delete from isdlc.worker where id = $1 and instance = $2", [worker, instance]);
}

async function freeUnreported(keeper: LeaseKeeper, { worker, instance, runs }: WorkerBeat): Promise<void> {
  await freeRuns(keeper, {
    where: `${HELD_BY} and run <> all($3) and claimed_at < now() - make_interval(secs => $4)`,
    values: [worker, instance, runs, UNREPORTED_RUN_TIMEOUT_MS / 1000],
    change: "takeover",
  });
}

/** Frees runs that an operator excluded from the token's scope after the claim. */
async function freeOutOfScope(keeper: LeaseKeeper, { worker, instance }: Holder): Promise<void> {
  const where = `${HELD_BY} and not exists (select 1 from isdlc.repository y join isdlc.principal p on p.id = $1
    where y.name = r.repository and ${IN_SCOPE})`;
  await freeRuns(keeper, { where, values: [worker, instance], change: "takeover" });
}

const tooManyInstances = (worker: string, most: number): ProblemError =>
  new ProblemError({
    code: "NOT_ALLOWED",
    what: `${most} processes use the token of the worker ${worker} already.`,
    fix: "Stop one of them, make a token for another worker, or start the server with a higher --instances.",
  });

const HELD_BY = "worker = $1 and instance is not distinct from $2";
/** A run held by the worker since the epoch. */
const HELD_IN_EPOCH = "run = $1 and worker = $2 and epoch = $3";

/** Frees the runs of a process without a newer heartbeat than this one. Null: it never sent any. */
export const freeLost = (
  keeper: LeaseKeeper,
  { worker, instance }: { readonly worker: string; readonly instance: string | null },
  beat: string | null,
): Promise<readonly RunId[]> =>
  freeRuns(keeper, {
    where: `${HELD_BY} and (select beat::text from isdlc.worker where id = $1 and instance = $2) is not distinct from $3`,
    values: [worker, instance, beat],
    change: "takeover",
  });

/** Queues every run that can continue, after a restore. */
export const queueAll = (keeper: Pick<LeaseKeeper, "pool">): Promise<readonly RunId[]> =>
  freeRuns(keeper, { where: "true", values: [], change: "none" });

/** Queues runs again that only workers of an earlier version would take, if no such worker is left. */
export const renewOutdated = (keeper: Pick<LeaseKeeper, "pool">, lease: number): Promise<readonly RunId[]> =>
  freeRuns(keeper, {
    where: `worker is null and asked_generation < ${GENERATION}
       and not exists (select 1 from isdlc.worker w
         where w.generation = r.asked_generation and w.beat_at > now() - make_interval(secs => $1))`,
    values: [lease / 1000],
    change: "none",
  });

/**
 * Records where a fenced worker saved its unpushed work. Records nothing if its epoch is not over, or if another worker
 * recorded a decision in that epoch.
 */
export async function noteKeptWork(pool: Pool, run: RunId, by: KeptWork & { worker: string }): Promise<boolean> {
  const { rowCount } = await pool.query(
    `insert into isdlc.kept_work (run, epoch, worker, ref, commit)
     select run, $2, $3, $4, $5 from isdlc.run where run = $1 and epoch > $2
       and not exists (select 1 from isdlc.decision d where d.run = $1 and d.epoch = $2 and d.sender <> $3)
     on conflict do nothing`,
    [run, by.epoch, by.worker, keptRef(run, by.epoch), by.commit],
  );
  return rowCount === 1;
}

/** Records which branch a worker could not delete for a discard. Called before the end of the run is recorded. */
export async function noteLeftBranch(pool: Pool, run: RunId, by: LeftBranchNote & { worker: string }): Promise<void> {
  const left = by.left === null ? null : JSON.stringify(by.left);
  await pool.query(`update isdlc.run set left_branch = $4 where ${HELD_IN_EPOCH}`, [run, by.worker, by.epoch, left]);
}

/** Ends a lease early. Another worker continues the run, after a pause if the drive failed. */
export async function giveBack(
  keeper: LeaseKeeper,
  held: { readonly run: RunId; readonly worker: string },
  { epoch, why, detail, choices }: GiveBack,
): Promise<void> {
  const { run, worker } = held;
  const values = [run, worker, epoch];
  if (why === "refused") {
    await keeper.pool.query(
      `update isdlc.run set rests = 'ended', refused = $4, choices = $5, worker = null
       where ${HELD_IN_EPOCH} and head_seq = 0`,
      [...values, detail, JSON.stringify(choices)],
    );
    return;
  }
  const { rows } = await keeper.pool.query<{ failures: number; takeovers: number }>(
    `select failures, takeovers from isdlc.run where ${HELD_IN_EPOCH}`,
    values,
  );
  const { failures = 0, takeovers = 0 } = rows[0] ?? {};
  const isFailing =
    (why === "broken" && failures + 1 >= MAX_FAILURES) || (why === "worker" && takeovers + 1 >= MAX_WORKER_FAULTS);
  if (isFailing) return escalate(keeper, held, detail);
  if (why === "host") return waitForHost(keeper, held, { epoch, detail });
  await freeRuns(keeper, { where: HELD_IN_EPOCH, values, change: why === "broken" ? "failure" : "takeover" });
}

/** After this time, a user is asked about the git host. */
const MAX_HOST_WAIT_HOURS = 24;

/** Queues the run again after a pause that doubles up to the longest one. After a day, asks a user. */
async function waitForHost(
  keeper: LeaseKeeper,
  held: { readonly run: RunId; readonly worker: string },
  { epoch, detail }: Pick<GiveBack, "epoch" | "detail">,
): Promise<void> {
  const values = [held.run, held.worker, epoch];
  const { rows } = await keeper.pool.query<{ isTooLong: boolean }>(
    `update isdlc.run set host_since = coalesce(host_since, now()), host_detail = $4 where ${HELD_IN_EPOCH}
     returning host_since < now() - interval '${MAX_HOST_WAIT_HOURS} hours' as "isTooLong"`,
    [...values, detail],
  );
  if (rows[0]?.isTooLong === true) return escalate(keeper, held, detail);
  await freeRuns(keeper, { where: HELD_IN_EPOCH, values, change: "host" });
}

/** Asks a user instead of repeating a failing drive forever. */
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

/** `takeover`: the run goes first in the queue. `failure`, `host`: it waits, longer each time. */
type LeaseRelease = {
  readonly where: string;
  readonly values: readonly unknown[];
  readonly change: "takeover" | "failure" | "host" | "none";
};

const CHANGES = {
  takeover: "takeovers = r.takeovers + 1, due_at = now()",
  failure: "failures = r.failures + 1, due_at = now() + make_interval(secs => 2 ^ r.failures)",
  host: `host_failures = r.host_failures + 1, due_at = now() + make_interval(secs => least(2 ^ least(r.host_failures, 10), ${MAX_PAUSE_SECONDS}))`,
  none: "due_at = now()",
} as const;

/** Queues the runs and raises their epochs, which fences the previous worker. */
async function freeRuns(
  { pool }: Pick<LeaseKeeper, "pool">,
  { where, values, change }: LeaseRelease,
): Promise<readonly RunId[]> {
  const { rows } = await pool.query<{ run: RunId }>(
    `update isdlc.run r set worker = null, instance = null, claim = null, epoch = r.epoch + 1,
       asked_at = now(), asked_generation = ${GENERATION}, ${CHANGES[change]}
     where rests = 'action' and ${where} returning run`,
    [...values],
  );
  return rows.map(({ run }) => run);
}
