import type { Log } from "../structured-log.ts";
import { freeLost, type LeaseKeeper, renewOutdated } from "./leases.ts";

export type Watchdog = { stop(): Promise<void> };

/** A process that holds runs. `beat`: number of its last heartbeat; null if it never sent one. */
type RunHolder = { readonly worker: string; readonly instance: string | null; readonly beat: string | null };

type SeenBeat = Pick<RunHolder, "beat"> & { readonly at: number };

/**
 * Frees the runs of lost workers. It measures silence with its own clock, and restarts if the database is unavailable:
 * after an outage every worker was silent, but none is lost.
 */
export function startWatchdog(keeper: LeaseKeeper, log: Log): Watchdog {
  const { lease } = keeper.limits;
  const seen = new Map<string, SeenBeat>();
  const interval = Math.min(1000, Math.max(100, lease / 10));
  let running: Promise<void> | null = null;
  const check = async (): Promise<void> => {
    try {
      for (const { beat, ...holder } of await findSilent(keeper, seen)) {
        const runs = await freeLost(keeper, holder, beat);
        keeper.metrics.takeover(runs.length);
        if (runs.length > 0) log.warn({ ...holder, runs }, "a worker is lost; its runs are free");
      }
      await renewOutdated(keeper, lease);
    } catch (error) {
      seen.clear();
      log.error({ error }, "the watchdog could not look");
    } finally {
      running = null;
    }
  };
  const timer = setInterval(() => void (running ??= check()), interval);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** Returns processes that hold runs and sent no heartbeat for the duration of a lease. */
async function findSilent({ pool, limits }: LeaseKeeper, seen: Map<string, SeenBeat>): Promise<readonly RunHolder[]> {
  const { rows } = await pool.query<RunHolder>(
    `select distinct r.worker, r.instance, w.beat::text from isdlc.run r
     left join isdlc.worker w on w.id = r.worker and w.instance = r.instance
     where r.rests = 'action' and r.worker is not null`,
  );
  const now = performance.now();
  const holding = new Set(rows.map(holderName));
  for (const name of seen.keys()) if (!holding.has(name)) seen.delete(name);
  return rows.filter((row) => {
    const before = seen.get(holderName(row));
    if (before !== undefined && before.beat === row.beat) return now - before.at > limits.lease;
    seen.set(holderName(row), { beat: row.beat, at: now });
    return false;
  });
}

const holderName = ({ worker, instance }: RunHolder): string => `${worker} ${instance}`;
