import { Pool, type PoolConfig } from "pg";

export type { Pool } from "pg";

/** Opens a connection pool. Broken connections are replaced; their user gets the error from the current query. */
export function openPool(url: string, connections: number, more: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString: url, max: connections, ...more });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined)); // an unhandled `error` event would end the process
  return pool;
}
