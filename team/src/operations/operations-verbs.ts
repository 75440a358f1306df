import { createPublicKey } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Pool } from "pg";
import { done, type Invocation, type Result } from "../../../src/surfaces/cli/invocation/verb.ts";
import { createReaderSeal } from "../../../src/adapters/remote/reader-seal.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { createRepositoryCopies } from "../copies/repository-copies.ts";
import { acknowledgeMerges } from "../merging/audit-merges.ts";
import { migrateDatabase } from "../journal-postgres/migrate-database.ts";
import { queueAll } from "../server/leases.ts";
import { examineServer } from "./examine-server.ts";
import { restoreBackup } from "./restore-backup.ts";
import { type RowCounts, writeBackup } from "./write-backup.ts";
import { readMaxCopyBytes } from "../verb-values.ts";

export type OperationContext = {
  readonly pool: Pool;
  readonly keyFile: string;
  /** Folder of the server's copies of repositories. */
  readonly copies: string;
  readonly words: readonly string[];
  readonly invocation: Invocation;
};

export type Operation = (operating: OperationContext) => Promise<Result>;

/** Operator commands: migrations, backups and checks of the server. */
export const operations: Readonly<Record<string, Operation>> = {
  migrate,
  backup,
  restore,
  doctor,
  "acknowledge-merge": acknowledgeMerge,
};

async function migrate({ pool }: OperationContext): Promise<Result> {
  const migrations = await migrateDatabase(pool);
  const what =
    migrations === 0 ? "The tables are up to date." : `The tables are up to date: ${migrations} changes made.`;
  return done([what], { migrations });
}

async function backup({ pool, words, invocation }: OperationContext): Promise<Result> {
  const file = readFileArgument(words, invocation);
  const counted = await writeBackup(pool, file);
  const lines = [
    `Wrote ${file}: ${told(counted)}.`,
    "The key that decisions are signed with is not in it: keep a copy of it apart.",
  ];
  return done(lines, { file, rows: counted });
}

async function restore(operating: OperationContext): Promise<Result> {
  const { pool, words, invocation } = operating;
  const file = readFileArgument(words, invocation);
  await migrate(operating);
  const counted = await restoreBackup(pool, file);
  const asked = await queueAll({ pool });
  const lines = [`Restored ${file}: ${told(counted)}.`, `${asked.length} runs wait for a worker to continue.`];
  return done([...lines, "Now run: isdlc server doctor"], { file, rows: counted, asked });
}

async function acknowledgeMerge({ pool, words: [run = "", ...why], invocation }: OperationContext): Promise<Result> {
  const reason = why.join(" ");
  if (reason !== "" && (await acknowledgeMerges(pool, run, reason)))
    return done([`The missing merge of ${run} is not reported any more: ${reason}`], { run, reason });
  const detail = reason === "" ? "Name the run and a reason." : `Run ${JSON.stringify(run)} has no missing merge.`;
  throw new ProblemError({ code: "USAGE", detail, usage: invocation.verb.usage });
}

async function doctor({ pool, keyFile, copies: folder, invocation }: OperationContext): Promise<Result> {
  if (!existsSync(keyFile))
    throw new ProblemError({
      code: "DATABASE_UNAVAILABLE",
      detail: `there is no key at ${keyFile}`,
      fix: "Give the server's key with --key",
    });
  const seal = createReaderSeal([createPublicKey(readFileSync(keyFile))]);
  const { env } = invocation;
  const copies = createRepositoryCopies({ folder, env, maxBytes: readMaxCopyBytes(invocation) });
  const findings = await examineServer({ pool, seal, copies });
  const lines = findings.map(({ what, isFine, detail }) => `${isFine ? "ok    " : "FAILED"}  ${what}: ${detail}`);
  const isFine = findings.every((finding) => finding.isFine);
  return { ...done(lines, { isFine, findings }), code: isFine ? 0 : 1 };
}

const told = (counted: RowCounts): string => `${counted["run"] ?? 0} runs with ${counted["decision"] ?? 0} decisions`;

function readFileArgument([file]: readonly string[], { verb }: Invocation): string {
  if (file !== undefined && file !== "") return file;
  throw new ProblemError({ code: "USAGE", detail: "Name the file.", usage: verb.usage });
}
