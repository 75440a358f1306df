import { createHash } from "node:crypto";
import { createWriteStream, renameSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { ClientBase, Pool } from "pg";
import { version } from "../../../src/compose/version.ts";
import { type BackupHeader, tablesInOrder } from "./backup-format.ts";

const ROWS_AT_ONCE = 500;

export type RowCounts = Readonly<Record<string, number>>;

/** Writes a consistent snapshot of the database without blocking writers. The file appears only once it is complete. */
export async function writeBackup(pool: Pool, file: string): Promise<RowCounts> {
  const client = await pool.connect();
  const counted: Record<string, number> = {};
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    const part = `${file}.part`;
    const lines = Readable.from(linesOf(client, counted));
    await pipeline(lines, createGzip(), createWriteStream(part, { mode: 0o600, flush: true }));
    renameSync(part, file);
    return counted;
  } finally {
    await client.query("rollback").catch(() => undefined); // read-only transaction
    client.release();
  }
}

async function* linesOf(client: ClientBase, counted: Record<string, number>): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const lineOf = (value: unknown): string => {
    const line = `${JSON.stringify(value)}\n`;
    hash.update(line);
    return line;
  };
  yield lineOf(await readHeader(client));
  for (const table of await tablesInOrder(client)) {
    counted[table] = 0;
    for await (const rows of rowsOf(client, table)) {
      counted[table] += rows.length;
      yield lineOf({ table, rows });
    }
  }
  yield `${JSON.stringify({ end: counted, sha256: hash.digest("hex") })}\n`;
}

async function readHeader(client: ClientBase): Promise<BackupHeader> {
  const { rows } = await client.query<{ migrations: number; at: string }>(
    "select count(*)::int as migrations, now()::text as at from public.isdlc_migration",
  );
  const { migrations = 0, at = "" } = rows[0] ?? {};
  return { backup: "isdlc", version, migrations, at };
}

/** Reads rows in batches. The table name comes from the database catalog. */
async function* rowsOf(client: ClientBase, table: string): AsyncGenerator<readonly unknown[]> {
  await client.query(`declare rows_of no scroll cursor for select to_jsonb(t) as row from isdlc."${table}" t`);
  for (;;) {
    const { rows } = await client.query<{ row: unknown }>(`fetch ${ROWS_AT_ONCE} from rows_of`);
    if (rows.length === 0) break;
    yield rows.map(({ row }) => row);
  }
  await client.query("close rows_of");
}
