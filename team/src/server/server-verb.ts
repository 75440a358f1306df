import { once } from "node:events";
import { isIP } from "node:net";
import { join } from "node:path";
import { done, type Invocation, type Result, text } from "../../../src/surfaces/cli/invocation/verb.ts";
import { withSignals } from "../../../src/surfaces/cli/invocation/signals.ts";
import { packageRoot } from "../../../src/adapters/project-files/package-root.ts";
import { userFolders } from "../../../src/adapters/files/user-folders.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { isServed, runningDatabase, startOwnDatabase } from "../database/own-database.ts";
import { migrateDatabase } from "../journal-postgres/migrate-database.ts";
import { openPool, type Pool } from "../journal-postgres/open-pool.ts";
import { notificationSettings } from "../notifications/notification-settings.ts";
import { type Operation, operations } from "../operations/operations-verbs.ts";
import { isRemote } from "../remote-address.ts";
import { createLog } from "../structured-log.ts";
import { givenSecret, readMaxCopyBytes, readNumber } from "../verb-values.ts";
import { peopleVerbs, type Subcommand } from "../people/people-verbs.ts";
import type { ProviderSettings } from "../oidc/provider.ts";
import { isPrincipalName } from "../people/principals.ts";
import { isLabel } from "./drive-queue.ts";
import { REPOSITORIES, startServer } from "./start-server.ts";

const DEFAULT_PORT = 7420;
const DEFAULT_LEASE = 15; // seconds
const DEFAULT_DRIVES = 2;
const DEFAULT_INSTANCES = 10;
const DEFAULT_KEEP_DAYS = 30;
/** One for a transaction, one for queries during it. */
const CONNECTIONS = 2;

const VERBS: Readonly<Record<string, Operation>> = {
  ...operations,
  ...Object.fromEntries(
    Object.entries({ ...peopleVerbs, repository }).map(([name, verb]) => [name, onCurrentTables(verb)]),
  ),
};

/** Runs the server, or one of its subcommands for operation, users and repositories. */
export async function server(invocation: Invocation): Promise<Result> {
  const [what, ...words] = invocation.words;
  if (what === undefined) return withSignals((signal) => serve(invocation, signal));
  const operation = VERBS[what];
  if (operation === undefined) throw usage(invocation, `There is no "isdlc server ${what}".`);
  const { url: database, stop } = await openDatabase(invocation, "for now");
  const pool = openPool(database, CONNECTIONS);
  try {
    const copies = join(copiesFolder(invocation), REPOSITORIES);
    return await operation({ pool, words, invocation, copies, keyFile: keyFilePath(invocation) });
  } finally {
    await pool.end();
    await stop();
  }
}

/** Migrates the database first. */
function onCurrentTables(subcommand: Subcommand): Operation {
  return async ({ pool, words, invocation }) => {
    await migrateDatabase(pool);
    return subcommand(pool, words, invocation);
  };
}

async function serve(invocation: Invocation, signal: AbortSignal): Promise<Result> {
  const { io, env, values } = invocation;
  const { settings: notifications, secrets } = notificationSettings(invocation);
  const host = text(values, "host") ?? "127.0.0.1";
  const provider = readProvider(invocation);
  const given = {
    host,
    port: readNumber(invocation, "port", DEFAULT_PORT),
    sharedAddresses: readSharedAddresses(invocation),
    metricsPort: text(values, "metrics") === undefined ? null : readNumber(invocation, "metrics", 0),
    keyFile: keyFilePath(invocation),
    lease: readNumber(invocation, "lease", DEFAULT_LEASE) * 1000,
    drivesPerWorker: readNumber(invocation, "drives", DEFAULT_DRIVES),
    instances: readNumber(invocation, "instances", DEFAULT_INSTANCES),
    keepDays: readNumber(invocation, "keep-days", DEFAULT_KEEP_DAYS),
    origin: readOrigin(invocation),
    provider,
    copies: copiesFolder(invocation),
    maxCopyBytes: readMaxCopyBytes(invocation),
    notifications,
    env,
  };
  const { url: database, stop } = await openDatabase(invocation, "to serve");
  const unsaid = [database, ...secrets, ...(provider === null ? [] : [provider.secret])];
  const log = createLog({ name: "isdlc-server", write: io.err, secrets: unsaid });
  try {
    const running = await startServer({ ...given, database, log });
    io.out(`Listening at http://${host}:${running.port}`);
    if (running.metricsPort !== null) io.out(`Metrics at http://127.0.0.1:${running.metricsPort}/metrics`);
    if (!signal.aborted) await once(signal, "abort");
    await running.close();
  } finally {
    await stop();
  }
  return done(["Closed. Runs that workers drive continue as soon as a server is available again."]);
}

async function repository(
  pool: Pool,
  [name = "", remote = ""]: readonly string[],
  invocation: Invocation,
): Promise<Result> {
  const label = text(invocation.values, "label") ?? null;
  const isRestricted = text(invocation.values, "workers") === "restricted";
  if (!isPrincipalName(name) || !isRemote(remote) || (label !== null && !isLabel(label)))
    throw usage(invocation, "Say the name of the repository and the address that workers clone it from.");
  await pool.query(
    `insert into isdlc.repository (name, remote, label, workers_restricted) values ($1, $2, $3, $4)
     on conflict (name) do update set remote = $2, label = $3, workers_restricted = $4`,
    [name, remote, label, isRestricted],
  );
  const who = label === null ? "Workers" : `Workers with the label ${label}`;
  return done([`${who} clone ${name} from ${remote}.`], { name, remote, label });
}

type Database = { readonly url: string; readonly stop: () => Promise<void> };

/** Opens the configured database, or isdlc's own. A subcommand uses a running own database without stopping it. */
async function openDatabase(invocation: Invocation, why: "to serve" | "for now"): Promise<Database> {
  const { env, values } = invocation;
  const named = givenSecret(invocation, { option: "database", variable: "ISDLC_DATABASE_URL" });
  if (named !== undefined) return { url: named, stop: () => Promise.resolve() };
  const folder = text(values, "data") ?? join(userFolders(env).state, "postgres");
  const running = why === "for now" ? await runningDatabase(folder) : null;
  if (running !== null) return { url: running, stop: () => Promise.resolve() };
  const { url, stop } = await startOwnDatabase({ folder, root: packageRoot(), path: env["PATH"] ?? "" });
  return { url, stop: async () => ((await isServed(url)) ? undefined : stop()) };
}

/** @throws ProblemError USAGE */
function readSharedAddresses(invocation: Invocation): readonly string[] {
  const addresses = (text(invocation.values, "shared-addresses") ?? "").split(",").filter((address) => address !== "");
  if (addresses.every((address) => isIP(address) !== 0)) return addresses;
  throw usage(invocation, "--shared-addresses takes addresses like 10.0.0.7 with commas between.");
}

/** Reads the origin that browsers send with requests of the web UI. */
function readOrigin(invocation: Invocation): string | null {
  const said = text(invocation.values, "origin");
  if (said === undefined) return null;
  if (/^https?:\/\/[^/?#@]+\/?$/.test(said) && URL.canParse(said)) return new URL(said).origin;
  throw usage(invocation, "--origin takes an address like https://isdlc.example.org");
}

/** Reads the sign-in provider, set by the operator only. Without TLS it must be on this machine, for trials. */
function readProvider(invocation: Invocation): ProviderSettings | null {
  const { values, env } = invocation;
  const issuer = text(values, "oidc-issuer") ?? env["ISDLC_OIDC_ISSUER"];
  const client = text(values, "oidc-client") ?? env["ISDLC_OIDC_CLIENT_ID"];
  const secret = givenSecret(invocation, { option: "oidc-secret", variable: "ISDLC_OIDC_CLIENT_SECRET" });
  if (issuer === undefined) return null;
  if (!/^https:\/\/|^http:\/\/localhost[:/]/.test(issuer) || !URL.canParse(issuer))
    throw usage(invocation, "--oidc-issuer takes an address like https://login.example.org");
  if (client === undefined || secret === undefined)
    throw usage(invocation, "Give --oidc-client too, and its secret in ISDLC_OIDC_CLIENT_SECRET.");
  return { issuer, client, secret };
}

const copiesFolder = ({ env }: Invocation): string => join(userFolders(env).state, "page");

const keyFilePath = ({ values, env }: Invocation): string =>
  text(values, "key") ?? join(userFolders(env).state, "server-key.pem");

const usage = ({ verb }: Invocation, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: verb.usage });
