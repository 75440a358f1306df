import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect } from "vitest";
import { changeAccounts } from "../../../../team/src/people/accounts.ts";
import { createToken, SIGN_IN } from "../../../../team/src/people/principals.ts";
import { builtProgram } from "../../../support/built-program.ts";
import { createSandbox, type Json, type Outcome, parsed, type Running, type Sandbox } from "../../../support/cli.ts";
import { freshDatabase, type TeamDatabase } from "./team-database.ts";

/** Server, workers and users as separate processes, with a real database and a real git remote. */
export type Team = {
  /** Ada, who is signed in, with a clone of the team's repository. */
  readonly ada: Sandbox;
  /** Ada's token. */
  readonly adas: string;
  readonly url: string;
  readonly database: TeamDatabase;
  readonly remote: string;
  /** Creates a token like `isdlc server token`, without its process. */
  token(kind: "person" | "worker", name: string): Promise<string>;
  /** Runs `isdlc server …` on the team's database. */
  administer(...args: readonly string[]): Promise<Json>;
  /** Starts a worker. Resolves when it takes work. */
  worker(name: string, ...options: readonly string[]): Promise<StartedProgram>;
  /** Starts a worker that uses another address of the server. */
  workerAt(url: string, name: string, ...options: readonly string[]): Promise<StartedProgram>;
  /** Starts another server on the same database. Resolves with its address when it listens. */
  server(...options: readonly string[]): Promise<StartedProgram & { readonly url: string }>;
  readonly first: StartedProgram;
  /** Runs a command with this token. */
  as(token: string, ...args: readonly string[]): Promise<Outcome>;
  /** Sends a request to the server. */
  ask(token: string, path: string, body?: unknown): Promise<{ status: number; body: Json }>;
  /** Sends requests to another server. */
  askAt(url: string): Team["ask"];
  row(run: string): Promise<Json>;
};

/** A long-running program. */
export type StartedProgram = Running & { readonly said: () => string };

export type TeamOptions = {
  /** Default: a new one. */
  readonly database?: TeamDatabase;
  /** Uses the machine, repository and key of this team. */
  readonly like?: Team;
  /** Environment of servers and workers. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of every server. */
  readonly serving?: readonly string[];
};

export const LEASE_SECONDS = 3;
const TOKEN_DAYS = 90;
const running: Running[] = [];

afterAll(async () => {
  for (const { child } of running) {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
  }
  await Promise.all(running.map(({ ended }) => ended));
});

export async function createTeam(options: TeamOptions = {}): Promise<Team> {
  const database = options.database ?? (await freshDatabase());
  const { ada, remote } = options.like ?? (await newPlace());
  const { serving = [] } = options;
  const withDatabase = { ...options.env, ISDLC_DATABASE_URL: database.url };
  const administer = async (...args: readonly string[]): Promise<Json> => {
    const done = await ada.start(["server", ...args, "--json"], withDatabase).ended;
    expect(done.code, done.stdout + done.stderr).toBe(0);
    return parsed(done);
  };
  const token: Team["token"] = (kind, id) =>
    createToken(database.pool, { id, kind }, { name: SIGN_IN, days: kind === "worker" ? null : TOKEN_DAYS });
  await administer("repository", "sample", remote);
  const startServer: Team["server"] = async (...more) => {
    const server = begin(
      ada,
      ["server", "--port", "0", "--lease", String(LEASE_SECONDS), ...serving, ...more],
      withDatabase,
    );
    return { ...server, url: (await said(server, /Listening at (\S+)/))[1] ?? "" };
  };
  const first = await startServer();
  const { url } = first;
  const tokens = new Map<string, string>();
  const workerAt: Team["workerAt"] = async (where, name, ...more) => {
    const own = tokens.get(name) ?? (await token("worker", name));
    tokens.set(name, own);
    const given = { ...withDatabase, ISDLC_WORKER_TOKEN: own };
    const place = ["--data", join(ada.base, "workers"), "--beat", "0.5"];
    const worker = begin(ada, ["worker", "--server", where, ...place, ...more, ...ada.agent], given);
    await said(worker, /takes work/);
    return worker;
  };
  const isSignedIn = options.like?.database === database; // a new token would replace Ada's
  const adas = isSignedIn ? options.like.adas : await token("person", "ada");
  await changeAccounts(database.pool, "the server's operator", {
    what: "role",
    repository: "sample",
    person: "ada",
    role: "admin",
  });
  const login = await ada.start(["login", url, "--token", adas]).ended;
  expect(login.code, login.stderr).toBe(0);
  return {
    ada,
    adas,
    url,
    database,
    remote,
    token,
    administer,
    worker: (name, ...more) => workerAt(url, name, ...more),
    workerAt,
    server: startServer,
    first,
    as: (whose, ...args) => ada.start([...args], { ISDLC_OPERATOR_TOKEN: whose }).ended,
    ask: askAt(url),
    askAt,
    row: async (run) => (await database.pool.query("select * from isdlc.run where run = $1", [run])).rows[0],
  };
}

/** A user with a repository, its remote, and the program with its team package. */
async function newPlace(): Promise<Pick<Team, "ada" | "remote">> {
  installTeamPackage(await builtProgram());
  const ada = await createSandbox();
  const remote = join(ada.base, "remote.git");
  execFileSync("git", ["clone", "--quiet", "--bare", ada.root, remote], { env: ada.env });
  ada.git("remote", "add", "origin", remote);
  return { ada, remote };
}

const askAt =
  (url: string): Team["ask"] =>
  async (whose, path, body) => {
    const headers = { authorization: `Bearer ${whose}`, "content-type": "application/json" };
    const method = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(new URL(path, url), { headers, ...method });
    return { status: response.status, body: await response.json() };
  };

/** Installs the team package next to the program, like npm. */
export function installTeamPackage(program: string): void {
  const modules = join(dirname(dirname(dirname(program))), "node_modules");
  mkdirSync(modules, { recursive: true });
  const team = join(modules, "isdlc-team");
  if (!existsSync(team)) symlinkSync(join(import.meta.dirname, "../../../../team"), team);
}

/** Starts a long-running program, which is ended after the tests of the file. */
export function begin(
  sandbox: Sandbox,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): StartedProgram {
  const started = sandbox.start(args, env);
  running.push(started);
  let text = "";
  for (const stream of [started.child.stdout, started.child.stderr])
    stream?.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
  return { ...started, said: () => text };
}

/** Waits for output of a program, including earlier output. Rejects with all output if the program ends before. */
export function said({ child, ended, said: text }: StartedProgram, what: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = what.exec(text());
      if (found !== null) resolve(found);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", look);
    look();
    void ended.then(({ code }) => reject(new Error(`ended with ${code}: ${text()}`)));
  });
}
