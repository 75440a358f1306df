import type { ClientBase, Pool } from "pg";

/** Does the work in one transaction. A connection that cannot even roll back is given up. */
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
