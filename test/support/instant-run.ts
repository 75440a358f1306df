import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HOST_MARKERS } from "../../src/adapters/identity/agent-markers.ts";
import type { FileSystem } from "../../src/adapters/files/file-system.ts";
import { createPlainWorkspace } from "../../src/adapters/files/create-plain-workspace.ts";
import { findVerb } from "../../src/surfaces/cli/grammar/catalog.ts";
import { noTraces } from "../../src/compose/create-traces.ts";
import { composeEngine } from "../../src/compose/compose-engine.ts";
import type { Io } from "../../src/surfaces/cli/invocation/io.ts";
import { currentRun, record } from "../../src/app/project/current-run.ts";
import { openProject, type LocalProject } from "../../src/compose/project.ts";
import { openRun } from "../../src/app/start/open-run.ts";
import { planRun } from "../../src/app/start/plan-run.ts";
import { runRequest } from "../../src/surfaces/cli/grammar/run-request.ts";
import type { Invocation, Values } from "../../src/surfaces/cli/invocation/verb.ts";
import type { PersonCommand } from "../../src/core/command.ts";
import type { ActiveRun, RunState } from "../../src/core/run.ts";
import { drive } from "../../src/engine/loop/drive.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { AgentBackend, AgentEnd, AgentTask } from "../../src/ports/agent-backend.ts";
import { noProgress } from "../../src/ports/progress.ts";
import type { VcsWrite } from "../../src/ports/vcs.ts";
import type { Workspace } from "../../src/ports/workspace.ts";
import type { Person } from "../../src/schema/people.ts";
import { noGitPrograms } from "../../src/compose/trusted-git-programs.ts";

/** A working tree and user folders under one base, driven without any process. */
export type TestProject = { readonly base: string; readonly root: string; readonly env: NodeJS.ProcessEnv };

export const ADA: Person = { name: "ada", channel: "token", origin: { pid: 1, session: null, terminal: null } };

const memory = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function newBase(): string {
  for (const name of [...HOST_MARKERS, "ISDLC_AGENT", "ISDLC_NONCE"]) delete process.env[name];
  return realpathSync(mkdtempSync(join(memory, "isdlc-instant-")));
}

export function placeIn(base: string): TestProject {
  const root = join(base, "tree");
  mkdirSync(root, { recursive: true });
  const env = { PATH: process.env["PATH"] ?? "", HOME: join(base, "home"), XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" };
  return { base, root, env };
}

export function initRepository({ root, env }: TestProject): void {
  const git = (...args: string[]): Buffer => execFileSync("git", args, { cwd: root, env, stdio: "pipe" });
  writeFileSync(join(root, "README.md"), "# Sample\n");
  git("init", "--quiet", "--initial-branch=main", "--template=");
  git("add", "--all");
  git("-c", "user.name=Person", "-c", "user.email=p@example.org", "commit", "--quiet", "--message", "First");
}

export function invocationFor(place: TestProject, verb: string, values: Values = {}): Invocation {
  const found = findVerb(verb);
  if (found === undefined) throw new Error(`no verb ${verb}`);
  const io: Io = { out: () => {}, err: () => {}, interactive: false, color: false, columns: 80, rows: 24 };
  return { verb: found, values, words: [], cwd: place.root, env: place.env, io };
}

/** The simulated repository: its commits and merges outlive the program. */
export type Repository = { readonly commits: Map<string, string>; merges: number; readonly vcs: VcsWrite };

export function createRepository(): Repository {
  const commits = new Map<string, string>();
  const prepared = new Map<string, string>();
  const world = { commits, merges: 0, isMerged: false };
  const vcs: VcsWrite = {
    head: () => Promise.resolve("a".repeat(40)),
    tip: () => Promise.resolve(null),
    forkPoint: () => Promise.resolve(null),
    standing: () => Promise.resolve({ at: "refs/heads/x", tip: null, base: null, settings: {} }),
    commitsBetween: () => Promise.resolve([]),
    compose: () => Promise.resolve({ tree: "d".repeat(40), mixed: [], unfiltered: [] }),
    isMerged: () => Promise.resolve(world.isMerged),
    prepareMerge: () => Promise.resolve(),
    returnToBranch: () => Promise.resolve(),
    startBranch: () => Promise.resolve(),
    prepare: ({ attempt, keep, tree }) => {
      const known = [...prepared.keys()].find((id) => prepared.get(id) === `${keep.name} ${attempt}`);
      const commit = known ?? String(prepared.size + 1).padStart(40, "b");
      prepared.set(commit, `${keep.name} ${attempt}`);
      return Promise.resolve({ commit, tree, changes: [] });
    },
    advance: ({ commit }) => {
      if (commit !== null) commits.set(prepared.get(commit)?.split(" ")[1] ?? "", commit);
      return Promise.resolve({ is: "done", commit });
    },
    commit: ({ attempt }) => {
      const known = commits.get(attempt) ?? String(commits.size + 1).padStart(40, "c");
      commits.set(attempt, known);
      return Promise.resolve({ is: "done", commit: known });
    },
    merge: () => {
      if (!world.isMerged) world.merges++;
      world.isMerged = true;
      return Promise.resolve({ is: "merged", commit: "e".repeat(40) });
    },
  };
  return Object.assign(world, { vcs });
}

const UNABLE = { readOnly: false, cost: false, turns: false, budget: false, resumes: false };

/** Writes the expected files and completes at once. */
function instantAgent(root: string): AgentBackend {
  return {
    name: "instant",
    digest: "d".repeat(64),
    probe: () => Promise.resolve({ version: "1", structuredResult: true, ...UNABLE }),
    async *run(task) {
      for (const path of task.artifacts) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), path.endsWith("/tasks.md") ? TASKS : `# ${task.attempt}\n`);
      }
      if (task.role === "phase" && task.attempt.startsWith("implement#")) {
        mkdirSync(dirname(join(root, CODE)), { recursive: true });
        writeFileSync(join(root, CODE), "1\n");
      }
      yield await Promise.resolve(createEnd(task));
    },
  };
}

const TASKS = "# Tasks\n\n- [ ] T1: do it\n  - files: src/a.js\n  - needs: none\n  - serves: FR-001\n";

function createEnd(task: AgentTask): AgentEnd {
  const end = { type: "end", usage: null, session: null } as const;
  if (task.role === "reviewer") return { ...end, how: "verdict", verdict: { approved: true, issues: [], summary: "" } };
  const result = { status: "done" as const, summary: "Done", decisions: [], artifacts: [], questions: [] };
  return { ...end, how: "result", result };
}

/** The only code file written by an instant agent. */
const CODE = "src/a.js";

/** Simulates snapshots that only distinguish if the code file exists. */
function createSnapshots(root: string): Pick<Workspace, "snapshot" | "now" | "diff"> {
  const tree = () => Promise.resolve((existsSync(join(root, CODE)) ? "b" : "f").repeat(40));
  const diff: Workspace["diff"] = (from, to) => Promise.resolve(from === to ? [] : [{ path: CODE, change: "added" }]);
  return { snapshot: tree, now: tree, diff };
}

/** Simulates a repository that only the run changes. */
function createVcs(run: ActiveRun, { vcs, commits }: Repository): VcsWrite {
  const tipNow = (): string | null => [...commits.values()].at(-1) ?? run.tip;
  return {
    ...vcs,
    tip: (branch) => Promise.resolve(branch === run.run.git?.base ? run.base : tipNow()),
    standing: () => Promise.resolve({ at: "refs/heads/x", tip: tipNow(), base: run.base, settings: {} }),
  };
}

export function engineFor(project: LocalProject, run: ActiveRun, repository: Repository): Engine {
  const agents = {
    phase: { name: "command", argv: [process.execPath] },
    reviewer: { name: "command", argv: [process.execPath] },
  };
  const agent = instantAgent(project.root);
  return {
    ...composeEngine(project, run, { agents, progress: noProgress, warn: () => {} }),
    agents: { phase: () => agent, reviewer: () => agent },
    pause: () => Promise.resolve(),
    gitPrograms: noGitPrograms,
    traces: noTraces,
    workspace: {
      ...createPlainWorkspace(project.root),
      ...(run.run.git === null ? {} : createSnapshots(project.root)),
    },
    vcs: run.run.git === null ? null : createVcs(run, repository),
    head: () => (run.run.git === null ? Promise.resolve(null) : repository.vcs.head()),
    processes: {
      self: () => ({ pid: 1, started: "1", boot: "b" }),
      isAlive: () => false,
      endAll: () => Promise.resolve(),
    },
    transcript: () => ({ write: () => {}, close: () => {} }),
    toldUsage: () => null,
  };
}

/** Drives the run until it waits or ends. */
export async function continueRun(project: LocalProject, repository: Repository): Promise<RunState> {
  const { state } = await currentRun(project);
  if (state.is !== "active") return state;
  const taken = project.driver.tryAcquire();
  if (!taken.ok) throw new Error(`driven by ${taken.pid}`);
  try {
    return (await drive(engineFor(project, state, repository), new AbortController().signal)).state;
  } finally {
    taken.release();
  }
}

export async function begin(place: TestProject, files: FileSystem, values: Values): Promise<LocalProject> {
  const project = openProject(place.root, place.env, files);
  const chosen = { supervised: true, tests: "without", "agent-command": process.execPath, ...values };
  const wanted = { workflow: "change", title: "add a greeting", by: ADA };
  const planned = await planRun(project, runRequest(invocationFor(place, "feature", chosen), wanted));
  if (!planned.ok) throw new Error(planned.choices.map(({ about }) => about.join("\n")).join("\n"));
  await openRun(planned.plan);
  return project;
}

/** Records a person's decision about the open wait. */
export async function decide(project: LocalProject, choice: string): Promise<void> {
  const { run, state } = await currentRun(project);
  if (run === null || state.is !== "active") throw new Error("no run is open");
  await record(project, run, commandFor(state, choice));
}

function commandFor(state: ActiveRun, choice: string): PersonCommand {
  const wait = state.wait?.id ?? "";
  const shown = { by: ADA, wait, shown: state.wait?.kind === "gate" ? state.wait.digest : "" };
  switch (choice) {
    case "continue":
    case "review":
      return { do: choice, ...shown };
    case "redo":
      return { do: "redo", ...shown, guidance: "once more" };
    case "cancel":
      return { do: "cancel", by: ADA, reason: "enough" };
    default:
      return { do: "finish", by: ADA, wait, how: "merge" };
  }
}

/** Simulates the end of the program: its locks name a process that no longer exists. */
export function ended({ root }: TestProject): void {
  const own = join(root, ".isdlc");
  if (!existsSync(own)) return;
  for (const name of readdirSync(own).filter((file) => /^(?:lock|driver)(?:\.|$)/.test(file))) {
    const text = readFileSync(join(own, name), "utf8");
    writeFileSync(join(own, name), text.replace(/"started":"[0-9]+"/, '"started":"1"'));
  }
}

export const remove = (base: string): void => rmSync(base, { recursive: true, force: true });
