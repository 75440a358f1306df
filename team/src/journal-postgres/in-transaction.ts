import type { ClientBase, Pool } from "pg";

/** Runs the work in one transaction. If the rollback fails, the connection is discarded. */
export async function inTransaction<T>(pool: Pool, work: (client: ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query("begin");
    const done = await work(client);
    await client.query("commit");
    return done;
  } catch (error) {
    await client.query("rollback").catch(() => (broken = true));
    throw error;
  } finally {
    client.release(broken);
  }
}
