import type { Pool } from "pg";
import type { Log } from "../structured-log.ts";

const HOUR_MS = 60 * 60_000; // milliseconds

export type Retention = {
  readonly pool: Pool;
  readonly days: number;
  readonly log: Log;
};

/**
 * Deletes workers whose last heartbeat is older than `days`, unless they hold a run, and notifications settled (sent,
 * given up or outdated) before that time. Runs and decisions are never deleted.
 */
export async function forgetOld({
  pool,
  days,
}: Omit<Retention, "log">): Promise<{ workers: number; notifications: number }> {
  const { rowCount } = await pool.query(
    `delete from isdlc.worker w where beat_at < now() - make_interval(days => $1)
     and not exists (select 1 from isdlc.run r where r.worker = w.id and r.instance = w.instance and r.rests = 'action')`,
    [days],
  );
  const { rowCount: notifications } = await pool.query(
    "delete from isdlc.notification where settled_at < now() - make_interval(days => $1)",
    [days],
  );
  return { workers: rowCount ?? 0, notifications: notifications ?? 0 };
}

/** Deletes old rows at the start and every hour. */
export function startRetention(retention: Retention): { stop(): Promise<void> } {
  const { log, days } = retention;
  const forget = async (): Promise<void> => {
    try {
      const forgotten = await forgetOld(retention);
      if (Object.values(forgotten).some((count) => count > 0)) log.info({ ...forgotten, days }, "forgot what was old");
    } catch (error) {
      log.error({ error }, "old rows could not be deleted");
    }
  };
  let forgetting = forget();
  const timer = setInterval(() => void (forgetting = forget()), HOUR_MS);
  return {
    async stop() {
      clearInterval(timer);
      await forgetting;
    },
  };
}
