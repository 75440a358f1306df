import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { otherTrees } from "../../src/adapters/git/process/working-trees.ts";
import { describe as describeProblem } from "../../src/core/problem.ts";
import { shellWord } from "../../src/core/command-line.ts";

const env = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "P",
  GIT_AUTHOR_EMAIL: "p@example.org",
  GIT_COMMITTER_NAME: "P",
  GIT_COMMITTER_EMAIL: "p@example.org",
};

type World = {
  readonly base: string;
  readonly main: string;
  readonly git: (cwd: string, ...args: string[]) => void;
};

function newWorld(): World {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-trees-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const git: World["git"] = (cwd, ...args) => void execFileSync("git", args, { cwd, env, stdio: "pipe" });
  const main = join(base, "main");
  mkdirSync(main);
  git(main, "init", "--quiet", "--initial-branch=main");
  git(main, "commit", "--quiet", "--allow-empty", "--message", "First");
  return { base, main, git };
}

function withWorktrees(...names: string[]): World & { readonly trees: readonly string[] } {
  const world = newWorld();
  const trees = names.map((name) => join(world.base, name));
  for (const tree of trees) world.git(world.main, "worktree", "add", "--quiet", "--detach", tree);
  return { ...world, trees };
}

describe("other worktrees of a repository", () => {
  test("are found from each of them", () => {
    const { main, trees } = withWorktrees("one", "two words");
    const [one = "", two = ""] = trees;
    expect(otherTrees(main)).toEqual([one, two]);
    expect(otherTrees(one)).toEqual([main, two]);
    expect(otherTrees(two)).toEqual([main, one]);
  });

  test("are missing in a single repository and outside of one", () => {
    const { main, base } = newWorld();
    expect(otherTrees(main)).toEqual([]);
    expect(otherTrees(base)).toEqual([]);
    expect(otherTrees(join(base, "missing"))).toEqual([]);
  });

  test("are found through relative pointers", () => {
    const { main, trees } = withWorktrees("one");
    const [one = ""] = trees;
    writeFileSync(join(one, ".git"), "gitdir: ../main/.git/worktrees/one\n");
    writeFileSync(join(main, ".git/worktrees/one/gitdir"), "../../../../one/.git\n");
    expect(otherTrees(main)).toEqual([one]);
    expect(otherTrees(one)).toEqual([main]);
  });

  test("exclude deleted folders", () => {
    const { main, trees } = withWorktrees("one", "two");
    rmSync(trees[0] ?? "", { recursive: true });
    expect(otherTrees(main)).toEqual([trees[1]]);
  });

  test("are found in a bare repository", () => {
    const { base, main, git } = newWorld();
    const bare = join(base, "bare.git");
    git(base, "clone", "--quiet", "--bare", main, bare);
    const trees = ["x", "y"].map((name) => join(base, name));
    for (const tree of trees) git(bare, "worktree", "add", "--quiet", "--detach", tree);
    expect(otherTrees(trees[0] ?? "")).toEqual([trees[1]]);
  });
});

describe("forged git folder", () => {
  test("names no worktree if .git points into another repository", () => {
    const { base, main } = withWorktrees("one");
    const hostile = join(base, "hostile");
    mkdirSync(hostile);
    for (const target of ["../main/.git/worktrees/one", "../main/.git", "/", "../nowhere"]) {
      writeFileSync(join(hostile, ".git"), `gitdir: ${target}\n`);
      expect(otherTrees(hostile)).toEqual([]);
    }
    expect(otherTrees(main)).toHaveLength(1);
  });

  test.each([
    ["a different repository", (base: string) => `${join(base, "victim", ".git")}\n`],
    ["a folder without a repository", (base: string) => `${join(base, "plain", ".git")}\n`],
    ["a folder instead of .git", (base: string) => `${join(base, "victim")}\n`],
    ["two lines", (base: string) => `${join(base, "victim", ".git")}\n/x\n`],
    ["an empty text", () => ""],
    ["garbage", () => "\0\0\uFFFD"],
    ["a long text", () => "x".repeat(100_000)],
  ])("names no worktree if its entry contains %s", (_name, pointer) => {
    const { base, main, git } = newWorld();
    for (const name of ["victim", "plain"]) mkdirSync(join(base, name));
    git(join(base, "victim"), "init", "--quiet");
    const entry = join(main, ".git/worktrees/evil");
    mkdirSync(entry, { recursive: true });
    writeFileSync(join(entry, "gitdir"), pointer(base));
    writeFileSync(join(entry, "commondir"), "../..\n");
    expect(otherTrees(main)).toEqual([]);
  });

  test("names no worktree through a link", () => {
    const { base, main, trees } = withWorktrees("one");
    const [one = ""] = trees;
    renameSync(one, join(base, "moved"));
    symlinkSync(join(base, "moved"), one);
    expect(otherTrees(main)).toEqual([]);
    rmSync(one);
    renameSync(join(base, "moved"), one);
    expect(otherTrees(main)).toEqual([one]);
    renameSync(join(main, ".git/worktrees"), join(base, "worktrees"));
    symlinkSync(join(base, "worktrees"), join(main, ".git/worktrees"));
    expect(otherTrees(main)).toEqual([]);
    expect(readdirSync(join(base, "worktrees"))).toEqual(["one"]);
  });
});

test.each([
  ["/home/ada/tree", "/home/ada/tree"],
  ["/home/ada/my tree", "'/home/ada/my tree'"],
  ["/a'b;$(x)", String.raw`'/a'\''b;$(x)'`],
  ["", "''"],
])("quotes %j in a command as %s", (path, word) => {
  expect(shellWord(path)).toBe(word);
});

test("lists each worktree in the problem with a status command", () => {
  expect(describeProblem({ code: "NO_RUN", elsewhere: ["/a", "/b c"] }).fix).toBe(
    "Another working tree has one: isdlc -C /a status; isdlc -C '/b c' status.",
  );
  expect(describeProblem({ code: "NO_RUN", elsewhere: [] }).fix).toBe('Start one: isdlc "<what to do>".');
});
