import { GENERATION } from "./drive-queue.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Log } from "../structured-log.ts";
import { freeLost, freeUntaken, type LeaseKeeper, renewDrive } from "./leases.ts";

export type Watchdog = { stop(): Promise<void> };

export type Watching = {
  /** How long a worker may be silent before its runs are somebody else's, in milliseconds. */
  readonly lease: number;
  /** Told what was freed. */
  readonly log: Log;
};

type Seen = { readonly beat: string; readonly at: number };

/** Drives are taken by a worker from the queue, and the lease is asked for at once: longer than this means it died. */
const TAKES_AT_MOST = 15_000; // milliseconds

/**
 * Frees what lost workers held. It judges silence by its own clock, and forgets everything when the database is away:
 * after an outage every worker has been silent, and none of them is lost.
 */
export function startWatchdog(keeper: LeaseKeeper, { lease, log }: Watching): Watchdog {
  const seen = new Map<string, Seen>();
  const every = Math.min(1000, Math.max(100, lease / 10));
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      for (const [worker, beat] of await silentWorkers(keeper, seen, lease)) {
        const runs = await freeLost(keeper, worker, beat);
        keeper.metrics.takeover(runs.length);
        if (runs.length > 0) log.warn({ worker, runs }, "a worker is lost; its runs are free");
      }
      for (const { run, workflow } of await untaken(keeper)) {
        if (await keeper.queue.isWaiting(workflow)) continue;
        await freeUntaken(keeper, run, workflow);
        log.warn({ run }, "nobody took a run; asked again");
      }
      for (const { run, workflow } of await outdated(keeper, lease)) await renewDrive(keeper, run, workflow);
    } catch (error) {
      seen.clear();
      log.error({ error }, "the watchdog could not look");
    }
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    looking = look().finally(() => (isLooking = false));
  }, every);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Workers that hold runs and did not beat for as long as a lease, with the beat they were last heard with. */
async function silentWorkers(
  { pool }: LeaseKeeper,
  seen: Map<string, Seen>,
  lease: number,
): Promise<[string, string][]> {
  const { rows } = await pool.query<{ id: string; beat: string }>(
    `select w.id, w.beat::text from isdlc.worker w
     where exists (select 1 from isdlc.run r where r.worker = w.id and r.rests = 'action')`,
  );
  const now = performance.now();
  const holding = new Set(rows.map(({ id }) => id));
  for (const id of seen.keys()) if (!holding.has(id)) seen.delete(id);
  return rows.flatMap(({ id, beat }): [string, string][] => {
    const before = seen.get(id);
    if (before?.beat === beat) return now - before.at > lease ? [[id, beat]] : [];
    seen.set(id, { beat, at: now });
    return [];
  });
}

/** Drives that a server of before asked for, when no worker of its time is heard of any more. */
async function outdated({ pool }: LeaseKeeper, lease: number): Promise<readonly { run: RunId; workflow: string }[]> {
  const { rows } = await pool.query<{ run: RunId; workflow: string }>(
    `select run, workflow from isdlc.run r
     where rests = 'action' and worker is null and workflow is not null and asked_generation < $1
       and not exists (select 1 from isdlc.worker w
         where w.generation = r.asked_generation and w.beat_at > now() - make_interval(secs => $2))`,
    [GENERATION, lease / 1000],
  );
  return rows;
}

async function untaken({ pool }: LeaseKeeper): Promise<readonly { run: RunId; workflow: string }[]> {
  const { rows } = await pool.query<{ run: RunId; workflow: string }>(
    `select run, workflow from isdlc.run
     where rests = 'action' and worker is null and workflow is not null
       and asked_at < now() - make_interval(secs => $1)`,
    [TAKES_AT_MOST / 1000],
  );
  return rows;
}
