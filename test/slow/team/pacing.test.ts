import { describe, expect, test } from "vitest";
import type { Pool } from "../../../team/src/journal-postgres/open-pool.ts";
import { pollInterval } from "../../../team/src/server/drive-queue.ts";
import { startPacing } from "../../../team/src/server/pacing.ts";
import { createLog } from "../../../team/src/structured-log.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

const log = createLog({ name: "test", write: () => undefined, secrets: [] });

test.each([
  { workers: 0, busy: 100, idle: 250 },
  { workers: 10, busy: 100, idle: 250 },
  { workers: 11, busy: 110, idle: 250 },
  { workers: 25, busy: 250, idle: 250 },
  { workers: 26, busy: 260, idle: 260 },
  { workers: 100, busy: 1000, idle: 1000 },
  { workers: 101, busy: 1000, idle: 1000 },
])("polls with $workers workers every $busy ms, or $idle ms without due runs", (row) => {
  const { workers, busy, idle } = row;
  expect([true, false].map((isBusy) => pollInterval({ workers, isBusy }))).toEqual([busy, idle]);
});

describe.runIf(hasPostgres)("poll interval of workers", () => {
  const intervalOf = async (pool: Pool): Promise<number> => {
    const pacing = startPacing({ pool, lease: 15_000, log });
    await pacing.stop();
    return pacing.interval();
  };

  test("depends on the number of living processes", async () => {
    const { pool } = await freshDatabase();
    await addWorkers(pool, 40, 0);
    await addWorkers(pool, 30, 60);
    expect(await intervalOf(pool)).toBe(400);
  });

  test.each([
    ["action", 100],
    ["wait", 250],
    ["ended", 250],
  ])("is set for one worker and a run in state %s: %i ms", async (rests, every) => {
    const { pool } = await freshDatabase();
    await addWorkers(pool, 1, 0);
    await pool.query(
      "insert into isdlc.run (run, place, title, begun_by, head_hash, rests) values ('r', 'r', '', '', '', $1)",
      [rests],
    );
    expect(await intervalOf(pool)).toBe(every);
  });
});

/** Adds workers whose last heartbeat was this many seconds ago. */
async function addWorkers(pool: Pool, count: number, seconds: number): Promise<void> {
  const name = `'w${seconds}-' || number`;
  await pool.query(
    `insert into isdlc.principal (id, kind) select ${name}, 'worker' from generate_series(1, $1) number`,
    [count],
  );
  await pool.query(
    `insert into isdlc.worker (id, instance, beat_at)
     select ${name}, 'i', now() - make_interval(secs => $2) from generate_series(1, $1) number`,
    [count, seconds],
  );
}
