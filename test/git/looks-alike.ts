import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { type Dice, rollDice } from "../support/dice.ts";
import { type Fixture, gitIn } from "./repository-fixture.ts";

const STEPS = 25;
const include = ["docs/item", ".isdlc/work/run"];

/** Changes a tree and scans it repeatedly; each scan must equal a first scan. */
export async function looksAlike(fixture: Fixture, seed: number): Promise<ReadonlySet<string | null>> {
  const dice = rollDice(seed);
  fixture.write("a", "1\n");
  fixture.commitAll("one");
  const following = createGitWorkspace(fixture.repo, { run: "following", env: process.env });
  await following.snapshot("first", include);
  const done: string[] = [];
  const seen = new Set<string | null>();
  for (let step = 0; step < STEPS; step++) {
    done.push(happen(fixture, dice));
    const fresh = createGitWorkspace(fixture.repo, { run: "fresh", env: process.env });
    const expected = await fresh.snapshot(`step-${step}`, include);
    const found = dice.chance(50)
      ? await following.now(include)
      : await following.snapshot(dice.of(["x", "y"]), include);
    expect(found, done.join("\n")).toBe(expected);
    if (dice.chance(20)) {
      const copy = await following.copy(found);
      expect(namesIn(copy.dir), done.join("\n")).toEqual(
        listSnapshotFiles(fixture, found).filter((path) => !isInner(path)),
      );
      await copy.dispose();
    }
    seen.add(found);
  }
  return seen;
}

const at = (fixture: Fixture, path: string) => join(fixture.repo, path);
const listSnapshotFiles = (fixture: Fixture, snapshot: string | null) =>
  fixture
    .git("ls-tree", "-r", "--name-only", snapshot ?? "")
    .split("\n")
    .filter((name) => name !== "");

const names = ["a", "b", "c/d", "c/e", "logs/x.log", "docs/item/n.md", "docs/item/y.log", ".isdlc/work/run/p.md"];
const isInner = (path: string) => path === "inner";

function happen(fixture: Fixture, dice: Dice): string {
  const name = dice.of(names);
  const text = `${dice.number() % 3}\n`;
  const events: Record<string, () => unknown> = {
    write: () => put(fixture, name, text),
    another: () => put(fixture, dice.of(names), text),
    append: () => existsSync(at(fixture, name)) && appendFileSync(at(fixture, name), text),
    remove: () => rmSync(at(fixture, name), { force: true, recursive: true }),
    link: () => (rmSync(at(fixture, "b"), { force: true, recursive: true }), symlinkSync("a", at(fixture, "b"))),
    folder: () => (rmSync(at(fixture, "a"), { force: true, recursive: true }), put(fixture, "a/inside", text)),
    mode: () => existsSync(at(fixture, "c/d")) && chmodSync(at(fixture, "c/d"), dice.chance(50) ? 0o755 : 0o644),
    ignore: () => put(fixture, dice.of([".gitignore", "c/.gitignore"]), dice.of(["*.log\n", "b\n", "e\n", "*\n", ""])),
    exclude: () => put(fixture, ".git/info/exclude", dice.of(["d\n", ""])),
    add: () => fixture.git("add", "--all"),
    force: () => existsSync(at(fixture, name)) && !name.startsWith(".isdlc") && fixture.git("add", "--force", name),
    commit: () => fixture.commitAll("more"),
    reset: () => fixture.git("reset", "--quiet", dice.of(["--hard", "--mixed"])),
    stash: () => fixture.git("stash", "--include-untracked", "--quiet"),
    assume: () => isTracked(fixture, "c/e") && fixture.git("update-index", "--assume-unchanged", "c/e"),
    skip: () => isTracked(fixture, "b") && fixture.git("update-index", "--skip-worktree", "b"),
    untrack: () => fixture.git("rm", "--cached", "--quiet", "--ignore-unmatch", "-r", name),
    repository: () => inner(fixture),
    opened: () => (
      rmSync(at(fixture, "inner/.git"), { recursive: true, force: true }),
      put(fixture, "inner/file", text)
    ),
    linked: () => (
      rmSync(at(fixture, "c"), { recursive: true, force: true }),
      symlinkSync("docs/item", at(fixture, "c"))
    ),
    aged: () => existsSync(at(fixture, "a")) && utimesSync(at(fixture, "a"), 1000, 1000),
    unindexed: () => rmSync(at(fixture, ".git/index"), { force: true }),
  };
  const [event, act] = dice.of([...Object.entries(events), ...Object.entries(events).slice(0, 3)]);
  try {
    act();
  } catch (error) {
    return `${event} ${name}: ${String(error)}`; // Git may refuse; then nothing changed.
  }
  return `${event} ${name} ${text}`;
}

function put(fixture: Fixture, path: string, text: string): void {
  for (let parent = dirname(path); parent !== "."; parent = dirname(parent))
    if (existsSync(at(fixture, parent)) && !isFolder(fixture, parent)) rmSync(at(fixture, parent));
  if (existsSync(at(fixture, path)) && isFolder(fixture, path)) rmSync(at(fixture, path), { recursive: true });
  mkdirSync(dirname(at(fixture, path)), { recursive: true });
  writeFileSync(at(fixture, path), text);
}

const isFolder = (fixture: Fixture, path: string) => {
  try {
    return readdirSync(at(fixture, path)).length >= 0;
  } catch {
    return false;
  }
};
const isTracked = (fixture: Fixture, path: string) => fixture.git("ls-files", path) !== "";

function inner(fixture: Fixture): void {
  if (!existsSync(at(fixture, "inner/.git"))) fixture.git("init", "--quiet", "inner");
  else gitIn(at(fixture, "inner"), "commit", "--quiet", "--allow-empty", "-m", "inside");
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}
