import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import type { ClientBase, Pool } from "pg";
import { ProblemError } from "../../../src/core/problem.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { BackupEnd, BackupHeader, BackupRows, tablesInOrder } from "./backup-format.ts";
import type { RowCounts } from "./write-backup.ts";

/**
 * Added to all epochs. Workers from before the restore may hold runs with epochs newer than the backup, but always
 * less than this much newer.
 */
const EPOCHS_AHEAD = 100_000;

/**
 * Restores a backup completely or not at all. The database must be empty. Workers that drove a run before are fenced.
 * @throws ProblemError BACKUP_UNUSABLE
 */
export function restoreBackup(pool: Pool, file: string): Promise<RowCounts> {
  return inTransaction(pool, async (client) => {
    const tables = await tablesInOrder(client);
    await refuseIfUsed(client, tables);
    const counted = await takeRows(client, { file, tables: new Set(tables) });
    for (const table of tables) await moveNumbersOn(client, table);
    await client.query("update isdlc.run set worker = null, instance = null, claim = null, epoch = epoch + $1", [
      EPOCHS_AHEAD,
    ]);
    return counted;
  });
}

async function refuseIfUsed(client: ClientBase, tables: readonly string[]): Promise<void> {
  for (const table of tables) {
    const { rowCount } = await client.query(`select 1 from isdlc."${table}" limit 1`);
    if (rowCount !== 0) throw unusable(`the database is not empty: it has rows in ${table}`, "Use a new database.");
  }
}

type RestoreContext = { readonly file: string; readonly tables: ReadonlySet<string> };

async function takeRows(client: ClientBase, { file, tables }: RestoreContext): Promise<RowCounts> {
  const counted: Record<string, number> = {};
  const hash = createHash("sha256");
  let header: BackupHeader | null = null;
  let isWhole = false;
  for await (const line of linesIn(file)) {
    const value: unknown = JSON.parse(line);
    if (header === null) header = await headerFrom(client, value);
    else if (BackupEnd.safeParse(value).success) {
      isWhole = BackupEnd.parse(value).sha256 === hash.digest("hex");
      break;
    } else {
      const { table, rows } = BackupRows.parse(value);
      if (!tables.has(table)) throw unusable(`it has a table "${table}" that is not known here`, NEWER);
      await insert(client, table, rows);
      counted[table] = (counted[table] ?? 0) + rows.length;
    }
    hash.update(`${line}\n`);
  }
  if (!isWhole) throw unusable("it is not whole", "Take another copy of it.");
  return counted;
}

async function* linesIn(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(file).pipe(createGunzip()), crlfDelay: Infinity });
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : String(error), "Take another copy of it.");
  }
}

async function headerFrom(client: ClientBase, value: unknown): Promise<BackupHeader> {
  const header = BackupHeader.safeParse(value);
  if (!header.success) throw unusable("it is not a backup of a team's server", 'Make one with "isdlc server backup".');
  const { rows } = await client.query<{ count: number }>("select count(*)::int as count from public.isdlc_migration");
  if (header.data.migrations > (rows[0]?.count ?? 0)) throw unusable(`it was made by ${header.data.version}`, NEWER);
  return header.data;
}

/** Columns missing in the backup get their defaults. */
async function insert(
  client: ClientBase,
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
    .map((name) => client.escapeIdentifier(name))
    .join(", ");
  await client.query(
    `insert into isdlc."${table}" (${columns}) overriding system value
     select ${columns} from jsonb_populate_recordset(null::isdlc."${table}", $1)`,
    [JSON.stringify(rows)],
  );
}

/** Advances identity columns past the restored numbers. */
async function moveNumbersOn(client: ClientBase, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_schema = 'isdlc' and table_name = $1 and is_identity = 'YES'",
    [table],
  );
  for (const { name } of rows)
    await client.query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce((select max("${name}") from isdlc."${table}"), 0) + 1, false)`,
      [`isdlc.${table}`, name],
    );
}

const NEWER = "Restore it with the version of isdlc that made it, or a later one.";

const unusable = (detail: string, fix: string): ProblemError =>
  new ProblemError({ code: "BACKUP_UNUSABLE", detail, fix });
