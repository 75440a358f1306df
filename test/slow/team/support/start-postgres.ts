import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { openPool } from "../../../../team/src/journal-postgres/open-pool.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Address of a PostgreSQL of our own, as its superuser; null where none is installed. */
    postgres: string | null;
  }
}

const INSTALL = "apt-get install postgresql";
const PASSWORD = "only-for-tests";

let stop = (): Promise<void> => Promise.resolve();

/** Starts a PostgreSQL of our own in a temporary folder, once for all tests of the suite. */
export async function setup(project: TestProject): Promise<void> {
  const programs = programFolder();
  if (programs === null) {
    if (process.env["CI"] !== undefined) throw new Error(`PostgreSQL is not installed: ${INSTALL}`);
    console.warn(`SKIPPED: the tests for teams need PostgreSQL. Install it with: ${INSTALL}`);
    project.provide("postgres", null);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "isdlc-postgres-"));
  const { port, server } = await start(programs, folder);
  stop = async () => {
    await end(server);
    rmSync(folder, { recursive: true, force: true });
  };
  const address = `postgresql://postgres:${PASSWORD}@127.0.0.1:${port}`;
  await untilReady(address, server, join(folder, "log"));
  project.provide("postgres", address);
}

export const teardown = (): Promise<void> => stop();

/** The newest of the versions that are installed. */
function programFolder(): string | null {
  const versions = "/usr/lib/postgresql";
  if (!existsSync(versions)) return null;
  const [newest] = readdirSync(versions).sort((one, other) => Number(other) - Number(one));
  const folder = join(versions, newest ?? "", "bin");
  return existsSync(join(folder, "initdb")) ? folder : null;
}

async function start(programs: string, folder: string): Promise<{ port: number; server: ChildProcess }> {
  const password = join(folder, "password");
  writeFileSync(password, PASSWORD);
  chmodSync(password, 0o644);
  // It refuses to run as root, who gives the folder away.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync("chown", ["-R", "postgres", folder]);
  const asPostgres = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : ["env"];
  const [program = "", ...args] = asPostgres;
  const data = join(folder, "data");
  const initdb = ["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${password}`, "-E", "UTF8"];
  execFileSync(program, [...args, join(programs, "initdb"), ...initdb, "--no-sync"], { stdio: "ignore", cwd: folder });
  const port = await freePort();
  const settings = ["-k", folder, "-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200"];
  const log = join(folder, "log");
  const command = [join(programs, "postgres"), "-D", data, ...settings, "-c", "logging_collector=off"];
  const server = spawn(program, [...args, ...command], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  server.stderr.on("data", (chunk: Buffer) => writeFileSync(log, chunk, { flag: "a" }));
  return { port, server };
}

async function untilReady(address: string, server: ChildProcess, log: string): Promise<void> {
  for (;;) {
    const pool = openPool(`${address}/postgres`, 1);
    try {
      await pool.query("select 1");
      await pool.end();
      return;
    } catch (error) {
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended: ${readFileSync(log, "utf8")}`, { cause: error });
      await delay(100);
    }
  }
}

/** Ends it with everything that is connected. */
async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGQUIT");
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
