import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { createToken } from "../../src/adapters/identity/operator-token.ts";
import type { RunEvent } from "../../src/schema/event.ts";
import { builtProgram } from "./built-program.ts";
import { recordedEvents } from "./recorded-events.ts";
import { removeTemporary } from "./remove-temporary.ts";

/** One turn of the agent in `fixtures/agents/by-plan.mjs`. It does the usual for each missing key. */
export type Turn = {
  readonly writes?: Readonly<Record<string, string>>;
  /** Symbolic links: the path of the link, and its target. */
  readonly links?: Readonly<Record<string, string>>;
  /** Files to delete before links and bytes are written. */
  readonly removes?: readonly string[];
  /** Contents in base64. */
  readonly bytes?: Readonly<Record<string, string>>;
  readonly modes?: Readonly<Record<string, number>>;
  /** Files whose contents are written to the log. */
  readonly reads?: readonly string[];
  readonly says?: readonly string[];
  /** False to skip the expected artifacts. */
  readonly artifacts?: boolean;
  readonly delay?: number;
  readonly hangs?: boolean;
  readonly silent?: boolean;
  readonly raw?: string;
  readonly exit?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly verdict?: Readonly<Record<string, unknown>>;
  readonly usage?: { readonly input: number; readonly output: number; readonly usd: number };
};

/**
 * Turns by phase (`implement`), reviewer (`implement reviewer`) or refinement (`04-design tasks`). The last one is
 * repeated.
 */
export type AgentPlan = { readonly always?: Turn; readonly turns?: Readonly<Record<string, readonly Turn[]>> };

export type AgentLogEntry = {
  readonly key: string;
  readonly role: string;
  readonly phase: string;
  readonly attempt: string;
  readonly turn: number;
  readonly pid: number;
  readonly prompt: string;
  readonly cwd: string;
  readonly env: readonly string[];
  readonly reads: Readonly<Record<string, string | null>>;
};

export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any; // foreign JSON, only read by tests

export type Running = { readonly child: ChildProcess; readonly ended: Promise<Outcome> };

export type Sandbox = {
  readonly base: string;
  readonly root: string;
  readonly config: string;
  readonly state: string;
  readonly token: string;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that select the planned agent. */
  readonly agent: readonly string[];
  plan(plan: AgentPlan): void;
  log(): readonly AgentLogEntry[];
  write(path: string, contents: string): void;
  read(path: string): string;
  json(path: string): Json;
  git(...args: string[]): string;
  /** Runs a command without terminal and token. */
  script(...args: string[]): Promise<Outcome>;
  /** Runs a command as a person, with their token. */
  person(...args: string[]): Promise<Outcome>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running;
  status(): Promise<Json>;
  events(): Promise<readonly RunEvent[]>;
};

export type SandboxOptions = { readonly git?: boolean; readonly files?: Readonly<Record<string, string>> };

const agentProgram = join(dirname(import.meta.dirname), "fixtures/agents/by-plan.mjs");
const made: string[] = [];
afterAll(() => {
  for (const base of made) removeTemporary(base);
});
const MADE_BEFORE_ANY_RUN = "2026-01-01T00:00:00.000Z";

/** Creates a user with a repository, isolated from everything on this machine. Removed after the suite. */
export async function createSandbox({ git = true, files = {} }: SandboxOptions = {}): Promise<Sandbox> {
  const program = await builtProgram();
  const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-cli-")));
  made.push(base);
  const place = (name: string): string => {
    mkdirSync(join(base, name), { recursive: true });
    return join(base, name);
  };
  const [root, home, config, state] = [place("tree"), place("home"), place("config/isdlc"), place("state/isdlc")];
  const env = personalEnvironment({ home, base, temporary: place("tmp") });
  const token = createToken(config, MADE_BEFORE_ANY_RUN);
  const planFile = join(base, "plan.json");
  const log = join(base, "agent.jsonl");
  const plan = (wanted: AgentPlan): void => writeFileSync(planFile, JSON.stringify({ log, ...wanted }));
  const write = (path: string, contents: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), contents);
  };
  const runGit = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const start = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Running =>
    startProgram([program, ...args], { cwd: root, env: { ...env, ...more } });
  plan({});
  for (const [path, contents] of Object.entries({ "README.md": "# Sample\n", ...files })) write(path, contents);
  if (git) startRepository(root, runGit);
  return {
    base,
    root,
    config,
    state,
    token,
    env,
    agent: ["--agent-command", `${process.execPath} ${agentProgram} ${planFile}`],
    plan,
    log: () => readLines(log).map((line) => JSON.parse(line) as AgentLogEntry),
    write,
    read: (path) => readFileSync(join(root, path), "utf8"),
    json: (path) => JSON.parse(readFileSync(join(root, path), "utf8")),
    git: runGit,
    start,
    script: (...args) => start(args).ended,
    person: (...args) => start(args, { ISDLC_OPERATOR_TOKEN: token }).ended,
    status: async () => parsed(await start(["status", "--json"]).ended).run,
    events: () => Promise.resolve(recordedEvents(root, env)),
  };
}

type Person = { readonly home: string; readonly base: string; readonly temporary: string };

/**
 * Returns the environment of a user without settings, on a machine without settings. Agents are not sandboxed, as they
 * write their log outside of the working tree.
 */
export function personalEnvironment({ home, base, temporary }: Person): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: temporary,
    XDG_CONFIG_HOME: join(base, "config"),
    XDG_STATE_HOME: join(base, "state"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_SYSTEM: "/dev/null",
    ISDLC_SANDBOX: "off",
    LC_ALL: "C",
  };
}

/** Formatted like git's own output, but without one process per line. */
const SETTINGS = "[user]\n\tname = Person\n\temail = person@example.org\n[gc]\n\tauto = 0\n";

export function startRepository(root: string, git: (...args: string[]) => string): void {
  git("init", "--quiet", "--initial-branch=main");
  appendFileSync(join(root, ".git/config"), SETTINGS);
  git("add", "--all");
  git("-c", "maintenance.auto=false", "commit", "--quiet", "--message", "First");
}

type Surroundings = { readonly cwd: string; readonly env: Readonly<Record<string, string>> };

export function startProgram(argv: readonly string[], { cwd, env }: Surroundings): Running {
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString("utf8")));
  const ended = new Promise<Outcome>((resolve) => child.on("close", (code) => resolve({ code, ...said })));
  return { child, ended };
}

const readLines = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];

/** Parses the output, which must be exactly one JSON object. */
export function parsed({ stdout, stderr }: Outcome): Json {
  const lines = stdout.split("\n");
  if (lines.length !== 2 || lines[1] !== "") throw new Error(`not one line of JSON: ${stdout}${stderr}`);
  return JSON.parse(lines[0] ?? "");
}
