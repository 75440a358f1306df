import type { Pool } from "pg";
import type { DriveQueue } from "../server/drive-queue.ts";
import type { Log } from "../structured-log.ts";

const HOUR = 60 * 60_000; // milliseconds
const DAY = 24 * HOUR;

export type Retention = {
  readonly pool: Pool;
  readonly queue: DriveQueue;
  readonly days: number;
  readonly log: Log;
};

/**
 * Forgets what was only needed while it happened: ended drives in the queue, workers that were not heard of, and
 * notifications that were sent or given up. Runs and decisions are never forgotten.
 */
export async function forgetOld({
  pool,
  queue,
  days,
}: Omit<Retention, "log">): Promise<{ drives: number; workers: number; notifications: number }> {
  const drives = await queue.forget(new Date(Date.now() - days * DAY));
  const { rowCount } = await pool.query(
    `delete from isdlc.worker w where beat_at < now() - make_interval(days => $1)
     and not exists (select 1 from isdlc.run r where r.worker = w.id and r.rests = 'action')`,
    [days],
  );
  const { rowCount: notifications } = await pool.query(
    "delete from isdlc.notification where settled_at < now() - make_interval(days => $1)",
    [days],
  );
  return { drives, workers: rowCount ?? 0, notifications: notifications ?? 0 };
}

/** Forgets at once, and again every hour. */
export function startRetention(retention: Retention): { stop(): Promise<void> } {
  const { log, days } = retention;
  const forget = async (): Promise<void> => {
    try {
      const forgotten = await forgetOld(retention);
      if (Object.values(forgotten).some((count) => count > 0)) log.info({ ...forgotten, days }, "forgot what was old");
    } catch (error) {
      log.error({ error }, "old drives could not be forgotten");
    }
  };
  let forgetting = forget();
  const timer = setInterval(() => void (forgetting = forget()), HOUR);
  return {
    async stop() {
      clearInterval(timer);
      await forgetting;
    },
  };
}
