import type { Pool } from "pg";
import type { Log } from "../structured-log.ts";
import { pollInterval, type TeamLoad } from "./drive-queue.ts";

export type PaceKeeper = {
  /** Poll interval of each worker in milliseconds. */
  interval(): number;
  stop(): Promise<void>;
};

type PacingOptions = {
  readonly pool: Pool;
  /** Silence in milliseconds after which a worker is not counted. */
  readonly lease: number;
  readonly log: Log;
};

const LOAD_POLL_INTERVAL_MS = 1000;

const LOAD = `select (select count(*)::int from isdlc.worker where beat_at > now() - make_interval(secs => $1)) as workers,
  exists (select 1 from isdlc.run where rests = 'action') as "isBusy"`;

/** Tracks the load of the team. If it cannot be read, the last value remains. */
export function startPacing({ pool, lease, log }: PacingOptions): PaceKeeper {
  let load: TeamLoad = { workers: 0, isBusy: false };
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    try {
      const { rows } = await pool.query<TeamLoad>(LOAD, [lease / 1000]);
      load = rows[0] ?? load;
    } catch (error) {
      log.error({ error }, "could not count the workers");
    } finally {
      reading = null;
    }
  };
  reading = read();
  const timer = setInterval(() => void (reading ??= read()), LOAD_POLL_INTERVAL_MS);
  return {
    interval: () => pollInterval(load),
    async stop() {
      clearInterval(timer);
      await reading;
    },
  };
}
