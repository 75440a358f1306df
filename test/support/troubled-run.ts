import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { currentRun, record } from "../../src/app/project/current-run.ts";
import { composeEngine } from "../../src/compose/compose-engine.ts";
import type { LocalProject } from "../../src/compose/project.ts";
import { currentStep } from "../../src/core/next.ts";
import type { ActiveRun } from "../../src/core/run.ts";
import { drive } from "../../src/engine/loop/drive.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { shownChanges } from "../../src/engine/shown-changes.ts";
import type { AgentBackend } from "../../src/ports/agent-backend.ts";
import { noProgress } from "../../src/ports/progress.ts";
import { treeAt } from "../../src/schema/ids.ts";
import { closingReport } from "../../src/views/history.ts";
import type { Dice } from "./dice.ts";
import { ADA, begin, decide, initRepository, newBase, type TestProject, placeIn, remove } from "./instant-run.ts";

/** Result of a run with foreign writes and commits at each step. */
export type TroubledRun = {
  readonly seed: number;
  /** Marks of everything in the merge, except commits made on the base. */
  readonly merged: readonly string[];
  /** Text displayed to the user before the answers, and the final report. */
  readonly read: string;
  readonly did: readonly string[];
  /** `write at commit`: each disturbance, and the step of the run. */
  readonly reached: ReadonlySet<string>;
};

/** Disturbances by a background process, the user in another program, or another git. */
export const TROUBLES = ["write", "edit", "branch", "base", "index", "ignore", "head", "hook", "settings"] as const;
export type Trouble = (typeof TROUBLES)[number];

type World = {
  readonly place: TestProject;
  readonly dice: Dice;
  readonly did: string[];
  readonly onBase: Set<string>;
  readonly git: (...args: string[]) => string;
  /** The disturbance planned for each step, once. */
  readonly due: Map<string, Trouble>;
  readonly reached: Set<string>;
  /** The current step. */
  step: string;
  count: number;
};

/**
 * Drives a run to its merge with real git and files. Disturbs it between any two calls: by chance, and once at each
 * step, with a different disturbance for each seed.
 */
export async function troubledRun(seed: number, dice: Dice, plant?: (engine: Engine) => Engine): Promise<TroubledRun> {
  const place = placeIn(newBase());
  const env = { ...place.env, HOME: join(place.base, "home") };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: place.root, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  const due = new Map(STEPS.map((step, at) => [step, TROUBLES[(seed + at) % TROUBLES.length] ?? "write"] as const));
  const world: World = { place, dice, git, due, did: [], onBase: new Set(), reached: new Set(), step: "", count: 0 };
  const saved = { ...process.env };
  try {
    mkdirSync(join(place.base, "home"), { recursive: true });
    Object.assign(process.env, { HOME: join(place.base, "home"), GIT_AUTHOR_NAME: "P", GIT_AUTHOR_EMAIL: "p@x" });
    writeFileSync(join(place.base, "home/.gitconfig"), "[user]\n\tname = P\n\temail = p@example.org\n");
    initRepository(place);
    const project = await begin(place, nodeFiles, {});
    const read = await playToMerge(project, world, plant ?? ((engine) => engine));
    const merged = marksIn(git("grep", "-h", "-o", "mark-[0-9]*-", "main", "--")).filter(
      (mark) => !world.onBase.has(mark),
    );
    return { seed, merged, read, did: world.did, reached: world.reached };
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in saved)) delete process.env[name];
    Object.assign(process.env, saved);
    remove(place.base);
  }
}

/** Steps of the `change` workflow. Each run reaches all of them. */
export const STEPS = ["prepare", "enter", "produce", "check", "review", "complete", "recheck", "commit", "finish"];

const MAX_ANSWERS = 90;

async function playToMerge(project: LocalProject, world: World, plant: (engine: Engine) => Engine): Promise<string> {
  let read = "";
  for (let answers = 0; answers < MAX_ANSWERS; answers++) {
    const { state: found } = await currentRun(project);
    if (found.is !== "active") return read;
    const engine = plant(createEngine(project, found, world));
    const { state } = await drive(engine, new AbortController().signal);
    if (state.is === "ended") return `${read}\n${closingReport(state).join("\n")}`;
    if (state.is !== "active") return read;
    read += `\n${await look(engine, state)}`;
    await answer(project, state, world);
  }
  throw new Error(`no end: ${world.did.join(", ")}`);
}

/** Returns everything displayed to a person before an answer. */
async function look(engine: Engine, run: ActiveRun): Promise<string> {
  const { wait } = run;
  if (wait?.kind === "gate") {
    const { parts = [] } = (await shownChanges(engine, run)) ?? {};
    return [...parts.map(({ patch }) => patch), ...wait.failures.map(({ detail }) => detail)].join("\n");
  }
  if (wait?.kind !== "finish" || wait.standing === null) return "";
  return [
    ...wait.moved,
    await engine.workspace.patch(treeAt(run.tip), treeAt(wait.standing.tip)),
    await engine.workspace.patch(treeAt(run.base), treeAt(wait.standing.base)),
  ].join("\n");
}

async function answer(project: LocalProject, { run, wait, stage }: ActiveRun, world: World): Promise<void> {
  if (world.dice.chance(40)) trouble(world);
  if (wait?.kind === "finish") return decide(project, "merge");
  if (wait?.kind === "escalation") {
    world.did.push(`retry ${wait.from}`);
    if (wait.from === "finish") tidyUp(world);
    return void (await record(project, run.run, { do: "retry", by: ADA, wait: wait.id }));
  }
  if (wait?.kind !== "gate") throw new Error(`asked for ${JSON.stringify(wait)} after ${world.did.join(", ")}`);
  const isPaused = stage.is === "produced" && stage.pausedAt !== null;
  const choice = isPaused ? "continue" : world.dice.of(["continue", "continue", "continue", "review"]);
  world.did.push(choice);
  await decide(project, choice);
}

/** Removes the files that prevent a merge, as a user does after git's message. */
function tidyUp({ git }: World): void {
  quietly(() => git("reset", "--quiet", "--hard", "HEAD"));
  quietly(() => git("clean", "-fdq", "--exclude=.isdlc"));
}

function createEngine(project: LocalProject, run: ActiveRun, world: World): Engine {
  const agents = {
    phase: { name: "command", argv: [process.execPath] },
    reviewer: { name: "command", argv: [process.execPath] },
  };
  const engine = composeEngine(project, run, { agents, progress: noProgress, warn: () => {} });
  const agent = writingAgent(world);
  const { vcs, journal } = engine;
  return {
    ...engine,
    journal: {
      ...journal,
      async load(id) {
        const loaded = await journal.load(id);
        world.step = loaded.state.is === "active" ? currentStep(loaded.state) : "";
        return loaded;
      },
    },
    agents: { phase: () => agent, reviewer: () => agent },
    workspace: disturbed(engine.workspace, world),
    vcs: vcs === null ? null : disturbed(vcs, world),
    processes: { ...engine.processes, endAll: () => Promise.resolve() },
    transcript: () => ({ write: () => {}, close: () => {} }),
    toldUsage: () => null,
  };
}

/** Wraps a port to cause disturbances before and after each call. */
function disturbed<T extends object>(port: T, world: World): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== "function") return method;
      return async (...args: unknown[]): Promise<unknown> => {
        doWhatIsDue(world);
        if (world.dice.chance(4)) trouble(world);
        const result: unknown = await (method as (...given: unknown[]) => unknown).apply(target, args); // checked above
        if (world.dice.chance(4)) trouble(world);
        return result;
      };
    },
  });
}

function mark(world: World): string {
  return `mark-${++world.count}-`;
}

function doWhatIsDue(world: World): void {
  const what = world.due.get(world.step);
  world.due.delete(world.step);
  if (what !== undefined) trouble(world, what);
}

function trouble(world: World, what: Trouble = world.dice.of(["write", ...TROUBLES] as const)): void {
  const text = mark(world);
  world.did.push(`${what} ${text}`);
  world.reached.add(`${what} at ${world.step}`);
  const file = (path: string, content = `${text}\n`): void => {
    mkdirSync(dirname(join(world.place.root, path)), { recursive: true });
    writeFileSync(join(world.place.root, path), content);
  };
  if (what === "write") return file(`other/${text}.txt`);
  if (what === "edit") return file("README.md", `# Sample\n${text}\n`);
  if (what === "ignore") return file(`hidden-${text}/.gitignore`, `*\n# ${text}\n`);
  if (what === "index") {
    file(`staged/${text}.txt`);
    return quietly(() => world.git("add", "--force", `staged/${text}.txt`));
  }
  if (what === "head") return quietly(() => file(".git/HEAD", `${world.git("rev-parse", "HEAD")}\n`));
  if (what === "settings") return quietly(() => world.git("config", "core.fileMode", String(world.count % 2 === 0)));
  if (what === "hook") {
    file(".git/hooks/pre-commit", `#!/bin/sh\necho ${text} > hooked.txt\ngit add hooked.txt\n`);
    return chmodSync(join(world.place.root, ".git/hooks/pre-commit"), 0o755);
  }
  quietly(() => commitOnto(world, what, text));
}

/** Commits without changing the working tree or the user's index. */
function commitOnto({ git, onBase, place }: World, what: "branch" | "base", text: string): void {
  const refs = git("for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
  const ref = what === "base" ? "refs/heads/main" : refs.find((name) => name !== "refs/heads/main");
  if (ref === undefined) return;
  if (what === "base") onBase.add(text);
  const index = { ...process.env, GIT_INDEX_FILE: join(place.base, `index-${text}`) };
  const own = (...args: string[]): string =>
    execFileSync("git", args, { cwd: place.root, env: index, encoding: "utf8" }).trim();
  writeFileSync(join(place.base, "blob"), `${text}\n`);
  own("read-tree", ref);
  own(
    "update-index",
    "--add",
    "--cacheinfo",
    `100644,${own("hash-object", "-w", join(place.base, "blob"))},by-${what}/${text}`,
  );
  git("update-ref", ref, own("commit-tree", "-p", ref, "-m", `by somebody ${text}`, own("write-tree")));
}

/** Ignores failures, such as git's lock of a concurrent process or a ref moved in the meantime. */
function quietly(act: () => unknown): void {
  try {
    act();
  } catch {
    return;
  }
}

function writingAgent(world: World): AgentBackend {
  return {
    name: "writer",
    digest: "d".repeat(64),
    probe: () =>
      Promise.resolve({
        version: "1",
        structuredResult: true,
        readOnly: false,
        cost: false,
        turns: false,
        budget: false,
        resumes: false,
      }),
    async *run(task) {
      const end = { type: "end", usage: null, session: null } as const;
      doWhatIsDue(world);
      if (task.role === "reviewer") {
        yield await Promise.resolve({
          ...end,
          how: "verdict" as const,
          verdict: { approved: true, issues: [], summary: "" },
        });
        return;
      }
      for (const path of [...task.artifacts, `src/${task.phase}.txt`]) {
        mkdirSync(dirname(join(world.place.root, path)), { recursive: true });
        writeFileSync(join(world.place.root, path), `# ${task.attempt}\n${mark(world)}\n`);
      }
      if (world.dice.chance(30)) trouble(world);
      const result = { status: "done" as const, summary: "Done", decisions: [], artifacts: [], questions: [] };
      yield { ...end, how: "result" as const, result };
    },
  };
}

export const marksIn = (text: string): string[] => [...new Set(text.match(/mark-\d+-/g) ?? [])];
