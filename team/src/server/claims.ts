import type { Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import type { ClaimRequest, Lease } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { IN_SCOPE } from "../people/worker-scope.ts";
import { MAX_PAUSE_SECONDS } from "./drive-queue.ts";

export type ClaimContext = ClaimRequest & {
  readonly worker: string;
  /** Maximum number of concurrent drives of a process. */
  readonly drives: number;
};

/**
 * Number of workers lost in a row after which a run loses its priority: the run may be the cause. Several failing
 * machines lose a harmless run a few times in a row.
 */
const MAX_PREFERRED_TAKEOVERS = 10;

/**
 * Next run of the queue. Runs that lost their worker come first, then the repository served longest ago, with its runs
 * in queue order. This serves every repository in turn, and every run of it. A run due later than any pause was queued
 * before the clock of the database was set back, and is due.
 */
const NEXT = `select r.run from isdlc.run r
  join isdlc.repository y on y.name = r.repository
  join isdlc.principal p on p.id = $1
  where r.rests = 'action' and r.worker is null and (r.due_at <= now() or r.due_at > now() + interval '${MAX_PAUSE_SECONDS} seconds') and r.asked_generation = $2
    and (y.label is null or y.label = any($3)) and ${IN_SCOPE}
    and not coalesce((r.first_check->>'seq')::int = r.head_seq and r.first_check->>'worker' = $1, false)
  order by (r.takeovers between 1 and ${MAX_PREFERRED_TAKEOVERS}) desc,
    case when r.takeovers between 1 and ${MAX_PREFERRED_TAKEOVERS} then '-infinity' else y.served_at end,
    r.asked_at, r.number
  limit 1 for update of r skip locked`;

const LEASE = `epoch, left_tree as left, start, begun_by as "begunBy",
  (select remote from isdlc.repository where name = r.repository) as remote`;

/**
 * Leases the next run to a worker that may drive it. A repeated claim gets the same lease, because a reply can get
 * lost. Returns null if no run is due or the process already drives its maximum.
 */
export function claimRun(pool: Pool, claiming: ClaimContext): Promise<Lease | null> {
  const { worker, instance, claim, labels, generation, drives } = claiming;
  return inTransaction(pool, async (client) => {
    // Serializes claims of one process, and rejects claims before its first heartbeat.
    const { rowCount: known } = await client.query(
      "select 1 from isdlc.worker where id = $1 and instance = $2 for update",
      [worker, instance],
    );
    if (known !== 1) throw noHeartbeat(worker);
    const { rows: held } = await client.query<Lease & { claim: string }>(
      `select run, claim, ${LEASE} from isdlc.run r where worker = $1 and instance = $2 and rests = 'action'`,
      [worker, instance],
    );
    const granted = held.find((lease) => lease.claim === claim);
    if (granted !== undefined) return granted;
    if (held.length >= drives) return null;
    const { rows: due } = await client.query<{ run: RunId }>(NEXT, [worker, generation, labels]);
    const [next] = due;
    if (next === undefined) return null;
    const { rows } = await client.query<Lease & { repository: string }>(
      `update isdlc.run r set epoch = epoch + 1, worker = $2, instance = $3, claim = $4, claimed_at = now()
       where run = $1 returning run, repository, ${LEASE}`,
      [next.run, worker, instance, claim],
    );
    const served = "update isdlc.repository set served_at = clock_timestamp() where name = $1";
    await client.query(served, [rows[0]?.repository]);
    return rows[0] ?? null;
  });
}

const noHeartbeat = (worker: string): ProblemError =>
  new ProblemError({
    code: "NOT_ALLOWED",
    what: `The server does not know this process of the worker ${worker}.`,
    fix: "Send a heartbeat first: POST /api/worker/beat",
  });
