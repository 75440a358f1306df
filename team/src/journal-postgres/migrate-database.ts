import type { Pool } from "pg";
import { activityTables } from "../people/activity-tables.ts";
import { credentialTables, mergeTables } from "../merging/merge-tables.ts";
import { movingTables } from "../moving/moving-tables.ts";
import { faultTables, notificationTables } from "../notifications/notification-tables.ts";
import { choiceTables, pageTables } from "../page/page-tables.ts";
import { passkeyTables, signedAnswerTables } from "../passkeys/passkey-tables.ts";
import { identityTables } from "../oidc/identity-tables.ts";
import { peopleTables } from "../people/people-tables.ts";
import { inTransaction } from "./in-transaction.ts";
import { cancelTables, leftBranchTables, operationsTables } from "./operations-tables.ts";
import { queueTables } from "../server/queue-tables.ts";
import { recheckTables } from "../server/recheck-tables.ts";
import { tables } from "./tables.ts";

/** Applied once, in this order. Never edit a released migration. */
const MIGRATIONS: readonly string[] = [
  tables,
  peopleTables,
  activityTables,
  operationsTables,
  movingTables,
  pageTables,
  choiceTables,
  notificationTables,
  passkeyTables,
  identityTables,
  signedAnswerTables,
  cancelTables,
  leftBranchTables,
  mergeTables,
  credentialTables,
  queueTables,
  recheckTables,
  faultTables,
];

/** Number of migrations of an up-to-date database. */
export const MIGRATION_COUNT = MIGRATIONS.length;

/** Advisory lock: concurrent migrations run one after the other. The number is arbitrary, and used only here. */
const MIGRATION_LOCK = 4_715_001;

/** Migrates the database to this version. Returns the number of applied migrations. */
export function migrateDatabase(pool: Pool): Promise<number> {
  return inTransaction(pool, async (client) => {
    await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(
      "create table if not exists public.isdlc_migration (number int primary key, at timestamptz not null default now())",
    );
    const { rows } = await client.query<{ count: number }>("select count(*)::int as count from public.isdlc_migration");
    const already = rows[0]?.count ?? 0;
    for (const [index, statements] of MIGRATIONS.entries()) {
      if (index < already) continue;
      await client.query(statements);
      await client.query("insert into public.isdlc_migration (number) values ($1)", [index + 1]);
    }
    return Math.max(0, MIGRATIONS.length - already);
  });
}
