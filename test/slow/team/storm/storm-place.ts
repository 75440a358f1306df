import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, vi } from "vitest";
import { changeAccounts } from "../../../../team/src/people/accounts.ts";
import { builtProgram } from "../../../support/built-program.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { createOwnTeam, type OwnTeam } from "../support/own-team.ts";
import { begin, type StartedProgram, said, type Team } from "../support/team.ts";
import { createReplyProxy, type ReplyProxy } from "./reply-proxy.ts";
import { canMountDisks, mountWorkerDisks, type WorkerDisks } from "./worker-disks.ts";

export const WORKERS = ["w1", "w2", "w3", "w4"] as const;
export const PEOPLE = ["ada", "bob", "carl"] as const;
/** Default of `isdlc server --drives`. */
export const DRIVES = 2;

export type StormRepository = {
  readonly name: string;
  readonly remote: string;
  readonly host: GitHost;
  /** False during an outage of the host. */
  isUp: boolean;
};

export type StormServer = { url: string; started: StartedProgram; isUp: boolean; readonly clock: string };

export type StormWorker = {
  readonly name: string;
  readonly server: StormServer;
  readonly proxy: ReplyProxy;
  readonly clock: string;
  started: StartedProgram | null;
  /** True if it can take runs: it is neither killed, stopped, nor on a full disk. */
  isUp: boolean;
};

/** Everything that a storm hits: a database, two git hosts, two servers and four workers, each on a disk of its own. */
export type StormPlace = {
  readonly own: OwnTeam;
  readonly team: Team;
  readonly repositories: readonly StormRepository[];
  readonly servers: readonly StormServer[];
  readonly workers: readonly StormWorker[];
  readonly tokens: ReadonlyMap<string, string>;
  /** Null where the system forbids it. */
  readonly disks: WorkerDisks | null;
  readonly data: string;
  /** Process ids of killed servers: their temporary refs are deleted after 20 minutes. */
  readonly killedServers: number[];
  isDatabaseUp: boolean;
  startWorker(worker: StormWorker): Promise<void>;
  startServer(server: StormServer): Promise<void>;
  /** Stops workers, then servers. */
  stop(): Promise<void>;
  /** All output of all processes. */
  said(): string;
};

const PRELOAD = pathToFileURL(join(import.meta.dirname, "shifted-clock.mjs")).href;
const START_PATIENCE = { timeout: 300_000, interval: 250 };

const preloaded = (clock: string) => ({ NODE_OPTIONS: `--import=${PRELOAD}`, ISDLC_STORM_CLOCK: clock });

export async function createStormPlace(): Promise<StormPlace> {
  const own = await createOwnTeam();
  const { team } = own;
  const { ada, database } = team;
  const data = join(ada.base, "workers");
  const disks = canMountDisks() ? await mountWorkerDisks(data, WORKERS) : null;
  const repositories = await createRepositories(team);
  const tokens = await tokensOf(team, repositories);
  const started: StartedProgram[] = [team.first];
  const startServer = async (server: StormServer): Promise<void> => {
    const env = { ...preloaded(server.clock), ISDLC_DATABASE_URL: database.url };
    const process = begin(ada, ["server", "--port", "0", "--lease", "3"], env);
    started.push(process);
    server.url = (await said(process, /Listening at (\S+)/))[1] ?? "";
    server.started = process;
    for (const worker of workers) if (worker.server === server) worker.proxy.direct(server.url);
    server.isUp = true;
  };
  const servers: StormServer[] = ["a", "b"].map((name) => ({
    url: "",
    started: team.first,
    isUp: false,
    clock: join(ada.base, `clock-server-${name}`),
  }));
  const workers: StormWorker[] = [];
  for (const server of servers) await startServer(server);
  team.first.child.kill("SIGTERM"); // only these two serve from here on
  await team.first.ended;
  for (const [at, name] of WORKERS.entries()) {
    const server = servers[at % servers.length]!;
    const proxy = await createReplyProxy(server.url);
    afterAll(() => proxy.close());
    workers.push({ name, server, proxy, clock: join(ada.base, `clock-${name}`), started: null, isUp: false });
  }
  const program = await builtProgram();
  const startWorker = (worker: StormWorker): Promise<void> =>
    vi.waitFor(async () => {
      const token = tokens.get(worker.name) ?? "";
      const options = ["--server", worker.proxy.url, "--data", data, "--beat", "0.5"];
      const argv = [...(disks?.enter ?? []), process.execPath, program, "worker", ...options, ...ada.agent];
      const env = { ...ada.env, ...preloaded(worker.clock), ISDLC_WORKER_TOKEN: token };
      const process_ = startProcess(argv, { cwd: ada.root, env });
      started.push(process_);
      await said(process_, /takes work/);
      worker.started = process_;
      worker.isUp = true;
    }, START_PATIENCE); // the server or the database may be unavailable
  await Promise.all(workers.map(startWorker));
  return {
    own,
    team,
    repositories,
    servers,
    workers,
    tokens,
    disks,
    data,
    killedServers: [],
    isDatabaseUp: true,
    startWorker,
    startServer,
    async stop() {
      for (const all of [workers, servers])
        for (const { started: one } of all) {
          one?.child.kill("SIGCONT");
          one?.child.kill("SIGTERM");
          await one?.ended;
        }
    },
    said: () => started.map((one) => one.said()).join(""),
  };
}

async function createRepositories(team: Team): Promise<readonly StormRepository[]> {
  const { ada, remote } = team;
  const second = join(ada.base, "second.git");
  execFileSync("git", ["clone", "--quiet", "--bare", remote, second], { env: ada.env });
  const repositories: StormRepository[] = [];
  for (const [name, path] of [
    ["sample", remote],
    ["second", second],
  ] as const) {
    const host = await startGitHost(path);
    await team.administer("repository", name, host.url);
    repositories.push({ name, remote: path, host, isUp: true });
  }
  return repositories;
}

async function tokensOf(team: Team, repositories: readonly StormRepository[]): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map([["ada", team.adas]]);
  for (const person of PEOPLE) if (person !== "ada") tokens.set(person, await team.token("person", person));
  for (const worker of WORKERS) tokens.set(worker, await team.token("worker", worker));
  for (const { name: repository } of repositories)
    for (const person of PEOPLE) {
      const role = person === "ada" ? "admin" : "reviewer";
      const change = { what: "role", repository, person, role } as const;
      await changeAccounts(team.database.pool, "the server's operator", change);
    }
  return tokens;
}

/** Starts a program, which is killed after the tests. */
export function startProcess(
  argv: readonly string[],
  where: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): StartedProgram {
  const [program = "", ...args] = argv;
  const child = spawn(program, args, { ...where, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, stdout: text, stderr: "" })),
  );
  afterAll(async () => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, said: () => text };
}

/** Sets the clock of a server or worker, in hours from the real time. */
export const setClock = (at: { readonly clock: string }, hours: number): void => writeFileSync(at.clock, String(hours));

/** Asks any server that answers. */
export async function askAny(
  { team, servers, tokens }: Pick<StormPlace, "team" | "servers" | "tokens">,
  person: string,
  ...[path, body]: [string, unknown?]
): ReturnType<Team["ask"]> {
  for (const { url, isUp } of servers) {
    if (!isUp) continue;
    try {
      const answer = await team.askAt(url)(tokens.get(person) ?? "", path, body);
      if (answer.status !== 503) return answer;
    } catch {
      // killed meanwhile
    }
  }
  return expect.fail("no server answers");
}
