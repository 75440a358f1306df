import { join } from "node:path";
import { done, type Invocation, type Result, text } from "../../../src/apps/cli/grammar/verb.ts";
import { withSignals } from "../../../src/apps/cli/main/signals.ts";
import { userFolders } from "../../../src/adapters/user-files/user-folders.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { migrateDatabase } from "../journal-postgres/migrate-database.ts";
import { openPool, type Pool } from "../journal-postgres/open-pool.ts";
import { isRemote } from "../remote-address.ts";
import { numberOf, secretOf } from "../verb-values.ts";
import { peopleVerbs, type Subcommand } from "../people/people-verbs.ts";
import { isPrincipalName } from "../people/principals.ts";
import { startServer } from "./start-server.ts";

const DEFAULT_PORT = 7420;
const DEFAULT_LEASE = 15; // seconds
const DEFAULT_DRIVES = 2;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = { ...peopleVerbs, repository };

/** Runs the server, or changes whom and what it knows. */
export async function server(invocation: Invocation): Promise<Result> {
  const [what, ...words] = invocation.words;
  if (what === undefined) return withSignals((signal) => serve(invocation, signal));
  const subcommand = SUBCOMMANDS[what];
  if (subcommand === undefined) throw usage(invocation, `There is no "isdlc server ${what}".`);
  const pool = openPool(databaseOf(invocation), 1);
  try {
    await migrateDatabase(pool);
    return await subcommand(pool, words, invocation);
  } finally {
    await pool.end();
  }
}

async function serve(invocation: Invocation, signal: AbortSignal): Promise<Result> {
  const { io, env, values } = invocation;
  const host = text(values, "host") ?? "127.0.0.1";
  const running = await startServer({
    database: databaseOf(invocation),
    host,
    port: numberOf(invocation, "port", DEFAULT_PORT),
    keyFile: text(values, "key") ?? join(userFolders(env).state, "server-key.pem"),
    lease: numberOf(invocation, "lease", DEFAULT_LEASE) * 1000,
    drivesPerWorker: numberOf(invocation, "drives", DEFAULT_DRIVES),
    log: (line) => io.err(line),
  });
  io.out(`Listening at http://${host}:${running.port}`);
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await running.close();
  return done(["Closed. Runs that workers drive go on as soon as a server is there again."]);
}

async function repository(
  pool: Pool,
  [name = "", remote = ""]: readonly string[],
  invocation: Invocation,
): Promise<Result> {
  if (!isPrincipalName(name) || !isRemote(remote))
    throw usage(invocation, "Say the name of the repository and the address that workers clone it from.");
  const text =
    "insert into isdlc.repository (name, remote) values ($1, $2) on conflict (name) do update set remote = $2";
  await pool.query(text, [name, remote]);
  return done([`Workers clone ${name} from ${remote}.`], { name, remote });
}

const databaseOf = (invocation: Invocation): string =>
  secretOf(invocation, { option: "database", variable: "ISDLC_DATABASE_URL" });

const usage = ({ verb }: Invocation, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: verb.usage });
