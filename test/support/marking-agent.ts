import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentBackend } from "../../src/ports/agent-backend.ts";
import type { Dice } from "./dice.ts";
import type { TestProject } from "./instant-run.ts";

/** A working tree in which each written line contains a mark with its number and author. */
export type MarkedTree = {
  readonly place: TestProject;
  readonly dice: Dice;
  readonly git: (...args: string[]) => string;
  /** User-edited files. */
  readonly edited: Set<string>;
  /** Lines of the user not yet accepted at a gate, with the phase of the gate where they were written. */
  pendingEdits: readonly PendingEdit[];
  readonly violations: string[];
  /** True to make the next execution of an agent fail. */
  failsNext: boolean;
  readonly did: string[];
  count: number;
};

type PendingEdit = {
  readonly mark: string;
  readonly path: string;
  readonly phase: string;
  /** True after an agent ran. */
  isTold: boolean;
};

export const findMarks = (text: string): string[] => [...new Set(text.match(/mark-\d+-[0-9a-z-]+/g) ?? [])];
/** Returns the phase that wrote a mark, or `person`. */
export const findAuthor = (mark: string): string => /^mark-\d+-(.*)$/.exec(mark)?.[1] ?? "";

/** A file with one section for each phase that writes code. */
export const SHARED = "src/shared.txt";
export const section = (key: string): string => `section ${key}\n\n\n\nend of ${key}`;

const newMark = (world: MarkedTree, key: string): string => `mark-${++world.count}-${key}`;

function write({ place }: MarkedTree, path: string, text: string): void {
  mkdirSync(dirname(join(place.root, path)), { recursive: true });
  writeFileSync(join(place.root, path), text);
}

const read = ({ place }: MarkedTree, path: string): string =>
  existsSync(join(place.root, path)) ? readFileSync(join(place.root, path), "utf8") : "";

/** Writes a line of the user into the user's own file, one of an agent, or the shared one. */
export function edit(world: MarkedTree, phase: string): void {
  const mark = newMark(world, "person");
  const line = `${mark}\n`;
  const path = world.dice.of(["src/own.txt", "src/by-06-implementation.txt", SHARED]);
  world.edited.add(path);
  world.pendingEdits = [...world.pendingEdits, { mark, path, phase, isTold: false }];
  write(world, path, `${read(world, path)}${line}`);
}

/** Adds a commit to the base, and merges it into the branch of the run as a user would. */
export function update(world: MarkedTree): void {
  const { git, place } = world;
  const name = `base-${++world.count}`;
  const index = join(place.base, name);
  const own = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: place.root,
      env: { ...process.env, GIT_INDEX_FILE: index },
      encoding: "utf8",
    }).trim();
  writeFileSync(join(place.base, "blob"), `${name}\n`);
  own("read-tree", "main");
  own(
    "update-index",
    "--add",
    "--cacheinfo",
    `100644,${own("hash-object", "-w", join(place.base, "blob"))},base/${name}`,
  );
  git("update-ref", "refs/heads/main", own("commit-tree", "-p", "main", "-m", name, own("write-tree")));
  git("merge", "--quiet", "--no-edit", "main");
}

const ABILITIES = { structuredResult: true, readOnly: false, cost: false, turns: false, budget: false, resumes: false };

/** Marks each line with its phase: in its documents and, if the phase writes code, in two files. */
export function markingAgent(world: MarkedTree): AgentBackend {
  return {
    name: "marking",
    digest: "d".repeat(64),
    probe: () => Promise.resolve({ version: "1", ...ABILITIES }),
    async *run({ phase: key, artifacts, prompt }) {
      checkEdits(world, { key, prompt });
      const end = { type: "end", usage: null, session: null } as const;
      const result = { status: "done" as const, summary: "Done", decisions: [], artifacts: [], questions: [] };
      for (const path of artifacts) write(world, path, `# ${key}\n${newMark(world, key)}\n`);
      if (CODE.has(key)) writeCode(world, key);
      const failed = world.failsNext ? { status: "failed" as const, summary: "It did not work" } : {};
      world.failsNext = false;
      yield await Promise.resolve({ ...end, how: "result" as const, result: { ...result, ...failed } });
    },
  };
}

/** Expects the prompt to name all user edits, except those whose phase was accepted or skipped. */
function checkEdits(world: MarkedTree, { key, prompt }: { readonly key: string; readonly prompt: string }): void {
  world.pendingEdits = world.pendingEdits.filter(({ phase }) => phase >= key);
  for (const edited of world.pendingEdits) {
    edited.isTold = true;
    if (!prompt.includes(JSON.stringify(edited.path)))
      world.violations.push(`${key} is not told of ${edited.mark} in ${edited.path}, after ${world.did.join(", ")}`);
  }
}

const CODE = new Set(["06-implementation", "16-quality-loop"]);

/** Sometimes overwrites the user's lines. */
function writeCode(world: MarkedTree, key: string): void {
  const isCareless = world.dice.chance(40);
  const known = (path: string): string => read(world, path).replaceAll(isCareless ? /^mark-\d+-person\n/gm : "", "");
  const own = `src/by-${key}.txt`;
  const before = world.dice.chance(30) ? "" : known(own);
  write(world, own, `${before}${newMark(world, key)}\n`);
  write(world, SHARED, known(SHARED).replace(`section ${key}\n`, `section ${key}\n${newMark(world, key)}\n`));
}
