import type { ClientBase } from "pg";
import * as z from "zod/mini";

/** A backup is gzipped JSON lines: a header, rows table by table, and an end with row counts. */
export const BackupHeader = z.object({
  backup: z.literal("isdlc"),
  version: z.string(),
  /** Number of migrations of the database. */
  migrations: z.int(),
  at: z.string(),
});
export type BackupHeader = z.infer<typeof BackupHeader>;

export const BackupRows = z.object({ table: z.string(), rows: z.array(z.record(z.string(), z.unknown())) });

export const BackupEnd = z.object({
  end: z.record(z.string(), z.int()),
  /** Digest of all previous lines. */
  sha256: z.string(),
});

/** Lists isdlc's tables. Referenced tables come first. */
export async function tablesInOrder(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; needs: string[] }>(
    `select c.relname as name, array(
       select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
       where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid) as needs
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'isdlc' and c.relkind = 'r' order by c.relname`,
  );
  const ordered: string[] = [];
  let waiting = rows;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ needs }) => needs.every((name) => ordered.includes(name)));
    if (ready.length === 0)
      throw new Error(`These tables refer to each other: ${waiting.map(({ name }) => name).join(", ")}`);
    ordered.push(...ready.map(({ name }) => name));
    waiting = waiting.filter(({ name }) => !ordered.includes(name));
  }
  return ordered;
}
