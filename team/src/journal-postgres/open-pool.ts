import { Pool, type PoolConfig } from "pg";

export type { Pool } from "pg";

/** Connections to a database. One that breaks is replaced; whoever was using it is told by the query at hand. */
export function openPool(url: string, connections: number, more: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, max: connections, ...more });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined)); // told to nobody, it would end the process
  return pool;
}
