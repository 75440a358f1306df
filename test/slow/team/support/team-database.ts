import { randomBytes } from "node:crypto";
import { afterAll, inject } from "vitest";
import { openPool, type Pool } from "../../../../team/src/journal-postgres/open-pool.ts";
import { migrateDatabase } from "../../../../team/src/journal-postgres/migrate-database.ts";

const address = inject("postgres");

/** True if PostgreSQL is installed; otherwise the start printed a warning. */
export const hasPostgres = address !== null;

export type TeamDatabase = { readonly url: string; readonly pool: Pool };

/** A new database with isdlc's tables, closed after the tests of the file. */
export async function freshDatabase(connections = 10): Promise<TeamDatabase> {
  const name = `isdlc_${randomBytes(6).toString("hex")}`;
  const admin = openPool(`${address}/postgres`, 1);
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = `${address}/${name}`;
  const pool = openPool(url, connections);
  afterAll(() => pool.end());
  await migrateDatabase(pool);
  return { url, pool };
}
