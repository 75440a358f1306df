import { describe, expect, onTestFinished, test } from "vitest";
import { migrateQueue } from "../../../team/src/database/migrate-queue.ts";
import type { Pool } from "../../../team/src/journal-postgres/open-pool.ts";
import { openDriveQueue, pollsEvery } from "../../../team/src/server/drive-queue.ts";
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
])("of $workers workers each looks for work every $busy ms, or $idle ms while no run is due", (row) => {
  const { workers, busy, idle } = row;
  expect([true, false].map((isBusy) => pollsEvery({ workers, isBusy }))).toEqual([busy, idle]);
});

describe.runIf(hasPostgres)("how often workers look for work", () => {
  const paced = async () => {
    const { url, pool } = await freshDatabase();
    await migrateQueue(pool, url);
    const queue = await openDriveQueue(pool, url, 2);
    onTestFinished(() => queue.close());
    return { pool, queue };
  };

  test("follows the number of those that were heard of", async () => {
    const { pool, queue } = await paced();
    await beatOf(pool, 40, 0);
    await beatOf(pool, 30, 60);
    await startPacing({ pool, queue, lease: 15_000, log }).stop();
    expect(await intervals(pool)).toEqual([{ name: "isdlc-drives", every: 400, drives: 2 }]);
  });

  test.each([
    ["action", 100],
    ["wait", 250],
    ["ended", 250],
  ])("with one worker and a run that rests with %s it is every %i ms", async (rests, every) => {
    const { pool, queue } = await paced();
    await beatOf(pool, 1, 0);
    await pool.query(
      "insert into isdlc.run (run, place, title, begun_by, head_hash, rests) values ('r', 'r', '', '', '', $1)",
      [rests],
    );
    await startPacing({ pool, queue, lease: 15_000, log }).stop();
    expect(await intervals(pool)).toEqual([{ name: "isdlc-drives", every, drives: 2 }]);
  });

  test("is told again after it could not be written", async () => {
    const { pool, queue } = await paced();
    await pool.query("alter table dbos.queues rename to away");
    await expect(queue.pace({ workers: 40, isBusy: true })).rejects.toThrow("queues");
    await pool.query("alter table dbos.away rename to queues");
    await queue.pace({ workers: 40, isBusy: true });
    expect(await intervals(pool)).toEqual([{ name: "isdlc-drives", every: 400, drives: 2 }]);
  });
});

async function beatOf(pool: Pool, count: number, secondsAgo: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, number) => `worker-${secondsAgo}-${number}`);
  await pool.query("insert into isdlc.principal (id, kind) select unnest($1::text[]), 'worker'", [ids]);
  await pool.query(
    `insert into isdlc.worker (id, instance, beat_at)
     select unnest($1::text[]), 'here', now() - make_interval(secs => $2)`,
    [ids, secondsAgo],
  );
}

async function intervals(pool: Pool): Promise<readonly unknown[]> {
  const { rows } = await pool.query<{ name: string; every: number; drives: number }>(
    `select name, (polling_interval_sec * 1000)::int as every, worker_concurrency as drives
     from dbos.queues where name like 'isdlc-drives%'`,
  );
  return rows;
}
