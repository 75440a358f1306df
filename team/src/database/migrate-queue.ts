import { setTimeout as delay } from "node:timers/promises";
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { ClientBase, Pool } from "pg";

/** Different from the lock of our own tables. */
const QUEUE_MIGRATION_LOCK = 4_715_002;
const LOCK_POLL_INTERVAL_MS = 100;

/** Creates or upgrades the tables of the queue. Servers that start at once take turns. */
export async function migrateQueue(pool: Pool, url: string): Promise<void> {
  const client = await pool.connect();
  try {
    await lock(client);
    await migrate(url);
    await client.query("select pg_advisory_unlock($1)", [QUEUE_MIGRATION_LOCK]);
    client.release();
  } catch (error) {
    client.release(true); // closing the connection frees the lock
    throw error;
  }
}

/** Polls: a connection that waits for the lock in PostgreSQL would block `create index concurrently` of the migration. */
async function lock(client: ClientBase): Promise<void> {
  for (;;) {
    const text = "select pg_try_advisory_lock($1) as locked";
    const { rows } = await client.query<{ locked: boolean }>(text, [QUEUE_MIGRATION_LOCK]);
    if (rows[0]?.locked === true) return;
    await delay(LOCK_POLL_INTERVAL_MS);
  }
}

/** Without the messages that the library prints to stdout, where our own answers are. */
async function migrate(url: string): Promise<void> {
  const { log, info, warn } = console;
  const silence = (): void => undefined;
  Object.assign(console, { log: silence, info: silence, warn: silence });
  try {
    await DBOS.migrate(url);
  } finally {
    Object.assign(console, { log, info, warn });
  }
}
