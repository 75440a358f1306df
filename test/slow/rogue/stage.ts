import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createToken } from "../../../src/adapters/identity/operator-token.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { type Json, type Outcome as Said, personalEnvironment, startRepository } from "../../support/cli.ts";
import { builtProgram } from "../../support/built-program.ts";
import { recordedEvents } from "../../support/recorded-events.ts";
import { type GuestSession, startGuest } from "./guest-session.ts";
import type { Column } from "./rogue.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

export type { Json, Said };

/** Record of a rogue's attack, in a file outside the repository. */
export type Evidence = { readonly deed: string } & Readonly<Record<string, Json>>;

export type RogueRun = {
  /** Program and attack of the agent, as in `programs/`. Default: a plain worker. */
  readonly agent?: readonly [program: string, deed: string];
  readonly reviewer?: readonly [program: string, deed: string];
  /** Command and options. Default: a supervised feature. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Another working tree, in which another agent works. Default: the tree of this stage. */
  readonly tree?: string;
};

/** Every process of the rogue has exited, and the expected record will not come. */
export class Caught extends Error {
  override readonly name = "Caught";
}

/** A user's repository, home and folders, isolated from the rest of this machine. */
export type Stage = {
  readonly base: string;
  readonly root: string;
  readonly config: string;
  readonly state: string;
  readonly token: string;
  /** True if agents run in a sandbox. */
  readonly sandboxed: boolean;
  /** True if the agent is a session that works on the run itself. */
  readonly guest: boolean;
  /** Number of answers given by the user. */
  answers(): number;
  /** Ids of remaining processes of the rogue, found by the path of its evidence file. */
  left(): readonly number[];
  /** Removes the user's token, as in a new configuration. */
  forgetToken(): void;
  /** Drops root's special file privileges for all later processes. */
  becomeOrdinary(): void;
  /** Starts a run with a rogue and waits until it waits or ends. */
  run(wanted: RogueRun): Promise<Said>;
  /** Runs a command as a script. */
  script(...args: string[]): Promise<Said>;
  /** Runs a command with the user's token. */
  person(...args: string[]): Promise<Said>;
  /** Runs a command at a new terminal of the user, who leaves the next gate open. */
  atTerminal(...args: string[]): Promise<Said>;
  status(): Promise<Json>;
  /** Everything the user can see now, as one text. */
  shown(): Promise<string>;
  /** Events of the run. Empty if they cannot be read. */
  events(): Promise<readonly Json[]>;
  evidence(deed?: string): readonly Evidence[];
  /** Waits for the record of a background process. */
  noted(deed: string): Promise<Evidence>;
  write(path: string, contents: string): void;
  read(path: string): string;
  git(...args: string[]): string;
  /** Every file under these folders that contains the text. */
  filesWith(text: string, ...folders: string[]): readonly string[];
  close(): Promise<void>;
};

const programs = join(import.meta.dirname, "programs");
const MADE_BEFORE_ANY_RUN = "2026-01-01T00:00:00.000Z";
const EFFECT_TIMEOUT_MS = 120_000; // milliseconds; a busy machine starts programs slowly

export async function createStage(column: Column): Promise<Stage> {
  const [sandboxed, guest] = [column === "strict", column === "guest"];
  const program = await builtProgram();
  const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-rogue-")));
  const place = (name: string): string => {
    mkdirSync(join(base, name), { recursive: true });
    return join(base, name);
  };
  const [root, config, state] = [place("tree"), place("config/isdlc"), place("state/isdlc")];
  const env = {
    ...personalEnvironment({ base, home: place("home"), temporary: place("tmp") }),
    ISDLC_SANDBOX: sandboxed ? "on" : "off",
    PERSON_VALUE: "not for agents",
  };
  const token = createToken(config, MADE_BEFORE_ANY_RUN);
  const evidenceFile = join(base, "evidence.jsonl");
  writeFileSync(evidenceFile, "");
  const settings = { "agent-variables": ["ROGUE_*"], ...(sandboxed ? opened(evidenceFile, program) : {}) };
  writeFileSync(join(config, "config.json"), JSON.stringify(settings));
  let answers = 0;
  let under: readonly string[] = [];
  const write = (path: string, contents: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), contents);
  };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  const start = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Said> =>
    startProgram([...under, process.execPath, program, ...args], { cwd: root, env: { ...env, ...more } });
  const words = ([name, deed]: readonly [string, string]): string[] => [
    process.execPath,
    join(programs, `${name}.mjs`),
    evidenceFile,
    program,
    deed,
  ];
  let session: GuestSession | null = null;
  /** After commands that resume the run, lets the session work. */
  const goingOn = async (verb: string | undefined, said: Promise<Said>): Promise<Said> => {
    const answered = await said;
    if (SETS_GOING.has(verb ?? "")) await session?.work();
    return answered;
  };
  const evidence = (deed?: string): readonly Evidence[] =>
    readLines(evidenceFile)
      .map((line) => JSON.parse(line) as Evidence)
      .filter((entry) => deed === undefined || entry.deed === deed);
  const json = async (...args: string[]): Promise<Json> => {
    const { stdout } = await start([...args, "--json"]);
    return JSON.parse(stdout === "" ? "{}" : stdout);
  };
  write("src/app.mjs", "export const answer = 42;\n");
  write("notes.txt", "the person's notes\n");
  startRepository(root, git);
  return {
    base,
    root,
    config,
    state,
    token,
    sandboxed,
    guest,
    answers: () => answers,
    left: () => findProcesses(evidenceFile),
    forgetToken: () => rmSync(join(config, "operator-token.json")),
    becomeOrdinary: () => void (under = process.getuid?.() === 0 ? POWERLESS : []),
    async run({ agent = WORKER, reviewer = WORKER, args = FEATURE, env: more = {}, tree = root }) {
      const isSession = guest && tree === root;
      const worker = isSession ? ["--agent", "session"] : ["--agent-command", words(agent).join(" ")];
      const reviewed = [...worker, "--reviewer-command", words(reviewer).join(" ")];
      const begun = await start(["-C", tree, ...args, ...reviewed], more);
      if (!isSession) return begun;
      session = await startGuest({ root, env: { ...env, ...more }, under }, words(agent));
      return session.work();
    },
    script: (...args) => start(args),
    person: (...args) => {
      answers++;
      return goingOn(args[0], start(args, { ISDLC_OPERATOR_TOKEN: token }));
    },
    atTerminal: (...args) => {
      answers++;
      const line = [process.execPath, program, ...args].join(" ");
      return goingOn(args[0], startProgram(["script", "-qec", line, "/dev/null"], { cwd: root, env }));
    },
    status: async () => (await json("status")).run,
    shown: async () => {
      const looks = await Promise.all(["gate", "status", "history"].map((verb) => start([verb])));
      return looks.map(({ stdout, stderr }) => stdout + stderr).join("\n");
    },
    events: () => Promise.resolve(recordedIn(root, env)),
    evidence,
    noted: (deed) =>
      until(() => {
        const isGone = findProcesses(evidenceFile).length === 0;
        const [found] = evidence(deed); // read last: the process may exit right after it recorded its attack
        if (found === undefined && isGone) throw new Caught(`the rogue is gone and noted no "${deed}"`);
        return found;
      }, `the rogue noted no "${deed}"`),
    write,
    read: (path) => readFileSync(join(root, path), "utf8"),
    git,
    filesWith: (text, ...folders) =>
      spawnSync("grep", ["-rlaF", "-e", text, ...folders], { encoding: "utf8" })
        .stdout.split("\n")
        .filter(Boolean),
    async close() {
      await session?.end();
      for (const pid of findProcesses(evidenceFile)) end(pid);
      removeTemporary(base);
    },
  };
}

function recordedIn(root: string, env: Record<string, string>): readonly Json[] {
  try {
    return recordedEvents(root, env);
  } catch (error) {
    if (error instanceof ProblemError) return [];
    throw error;
  }
}

const SETS_GOING: ReadonlySet<string> = new Set(["continue", "redo", "answer", "retry", "skip"]);
const WORKER = ["worker", "work"] as const;
const POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"];
const FEATURE = ["feature", "Log in", "--supervised", "--tests", "without"];

/** Waits for an effect of another process. */
export async function until<T>(look: () => T | undefined | Promise<T | undefined>, failure: string): Promise<T> {
  for (const began = Date.now(); Date.now() - began < EFFECT_TIMEOUT_MS; await delay(50)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(failure);
}

/** Paths that the user allows in the sandbox, to record attacks and to run isdlc. */
const opened = (evidence: string, program: string): Json => ({
  "sandbox-write": [evidence],
  "sandbox-read": [join(dirname(program), "../..")],
});

/** Ids of living processes with this path in their command line, including processes in a sandbox. */
function findProcesses(path: string): readonly number[] {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return numbers
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(path) && !read(`/proc/${pid}/stat`).includes(") Z"))
    .map(Number);

  function read(file: string): string {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return ""; // it exited in the meantime
    }
  }
}

/** Files under a folder, with their sizes. */
export function sizesBelow(folder: string): readonly { path: string; size: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, size: readFileSync(path).length }));
}

type Surroundings = { readonly cwd: string; readonly env: Record<string, string> };

function startProgram([file = "", ...args]: readonly string[], place: Surroundings): Promise<Said> {
  const child = spawn(file, args, { ...place, stdio: ["pipe", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (said.stderr += chunk.toString("utf8")));
  const isTerminal = file === "script";
  const typing = isTerminal ? setInterval(() => child.stdin.write("q"), 500) : null;
  child.stdin.on("error", () => undefined); // it may have exited before the key was sent
  if (!isTerminal) child.stdin.end();
  return new Promise((resolve) =>
    child.on("close", (code) => {
      if (typing !== null) clearInterval(typing);
      resolve({ code, ...said });
    }),
  );
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return; // already exited
  }
}

const readLines = (file: string): string[] =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : [];
