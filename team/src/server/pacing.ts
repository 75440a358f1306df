import type { Pool } from "pg";
import type { Log } from "../structured-log.ts";
import type { DriveQueue, TeamLoad } from "./drive-queue.ts";

export type Pacing = { stop(): Promise<void> };

type Paced = {
  readonly pool: Pool;
  readonly queue: Pick<DriveQueue, "pace">;
  /** Milliseconds after which a worker that was not heard of does not count. */
  readonly lease: number;
  readonly log: Log;
};

const LOOKS_EVERY = 1000; // milliseconds

const LOAD = `select (select count(*)::int from isdlc.worker where beat_at > now() - make_interval(secs => $1)) as workers,
  exists (select 1 from isdlc.run where rests = 'action') as "isBusy"`;

/** Has workers look for work as often as their number allows, and less often while no run is due. */
export function startPacing({ pool, queue, lease, log }: Paced): Pacing {
  let looking: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    try {
      const { rows } = await pool.query<TeamLoad>(LOAD, [lease / 1000]);
      for (const load of rows) await queue.pace(load);
    } catch (error) {
      log.error({ error }, "the workers could not be counted");
    } finally {
      looking = null;
    }
  };
  looking = look();
  const timer = setInterval(() => void (looking ??= look()), LOOKS_EVERY);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}
