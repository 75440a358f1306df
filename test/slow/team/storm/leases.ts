import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "../../../../team/src/journal-postgres/open-pool.ts";
import type { StormPlace } from "./storm-place.ts";

export type HeldLease = {
  readonly run: string;
  readonly repository: string;
  readonly worker: string;
  readonly epoch: number;
};

/** Returns all current leases, in the order of their runs. */
export async function listLeases(pool: Pool): Promise<readonly HeldLease[]> {
  const { rows } = await pool.query<HeldLease>(
    "select run, repository, worker, epoch from isdlc.run where rests = 'action' and worker is not null order by run",
  );
  return rows;
}

export type TakeoverWatch = {
  /** Starts the measurement of a lease whose worker was lost. */
  begin(lost: readonly HeldLease[]): void;
  /** Milliseconds per takeover in which a slot was free, and database and git host answered. */
  readonly took: readonly number[];
  stop(): Promise<void>;
};

type OpenTakeover = { readonly lease: HeldLease; counted: number };
type RunRow = {
  readonly run: string;
  readonly worker: string | null;
  readonly epoch: number;
  readonly rests: string;
  readonly takeovers: number;
};

const EVERY_MS = 100;
/** Slower takeovers are printed. */
const SLOW_MS = 8000;

/** Measures the time until another drive has the run of a lost worker. */
export function watchTakeovers(place: StormPlace, slots: number): TakeoverWatch {
  const { pool } = place.team.database;
  const open = new Map<string, OpenTakeover>();
  const took: number[] = [];
  let before = { at: performance.now(), countable: new Set<string>() };
  const isOver = new AbortController();
  const look = async (): Promise<void> => {
    const { rows } = await pool.query<RunRow>(
      "select run, worker, epoch, rests, takeovers from isdlc.run where rests = 'action' or run = any($1)",
      [[...open.values()].map(({ lease }) => lease.run)],
    );
    const at = performance.now();
    const { rows: faulty } = await pool.query<{ id: string }>("select id from isdlc.worker where trouble is not null");
    const able = place.workers.filter(({ name }) => !faulty.some(({ id }) => id === name));
    const countable = countableRepositories({ ...place, workers: able }, rows, slots);
    for (const [key, takeover] of open) {
      const { lease } = takeover;
      if (before.countable.has(lease.repository) && countable.has(lease.repository)) takeover.counted += at - before.at;
      const row = rows.find(({ run }) => run === lease.run);
      const progress = row === undefined ? "rested" : takeoverProgress(lease, row);
      if (progress === "waiting") continue;
      open.delete(key);
      if (progress === "rested") continue;
      took.push(takeover.counted);
      if (takeover.counted > SLOW_MS) console.log(JSON.stringify({ slow: takeover, row }));
    }
    before = { at, countable };
  };
  const watching = (async () => {
    while (!isOver.signal.aborted) {
      await look().catch(() => (before = { at: performance.now(), countable: new Set() }));
      await delay(EVERY_MS);
    }
  })();
  return {
    took,
    begin(lost) {
      for (const lease of lost) open.set(`${lease.run} ${lease.epoch}`, { lease, counted: 0 });
    },
    async stop() {
      isOver.abort();
      await watching;
    },
  };
}

/**
 * Freeing a run and granting it raise its epoch by one each. `rested`: the last report came before the fault, or the
 * worker had returned the run because its git host did not answer.
 */
function takeoverProgress({ epoch }: HeldLease, now: RunRow): "waiting" | "rested" | "taken" {
  if (now.rests !== "action") return "rested";
  if (now.worker === null && now.epoch > epoch + 1) return "taken"; // and freed again between two polls
  if (now.worker === null) return now.epoch === epoch || now.takeovers === 0 ? "rested" : "waiting";
  if (now.epoch === epoch) return "waiting";
  return now.epoch === epoch + 1 ? "rested" : "taken";
}

/** Repositories whose host answers, if a worker with a server has a free slot. */
function countableRepositories(place: StormPlace, rows: readonly RunRow[], slots: number): Set<string> {
  const hasFreeSlot = place.workers.some(
    ({ name, isUp, server }) => isUp && server.isUp && rows.filter(({ worker }) => worker === name).length < slots,
  );
  if (!hasFreeSlot || !place.isDatabaseUp) return new Set();
  return new Set(place.repositories.filter(({ isUp }) => isUp).map(({ name }) => name));
}
