import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readHead } from "../../src/adapters/git/read/git-head.ts";
import { useRepository } from "../git/repository-fixture.ts";
import type { Fixture } from "../git/repository-fixture.ts";

const fixture = useRepository();

/** Each shape leaves its commit in HEAD and returns the folder to read. */
const readable: { shape: string; branch: string | null; make: (f: Fixture) => string }[] = [
  { shape: "a plain repository", branch: "main", make: (f) => f.repo },
  { shape: "no git in PATH", branch: "main", make: (f) => ((process.env["PATH"] = join(f.base, "empty")), f.repo) },
  { shape: "a detached head", branch: null, make: (f) => (f.git("switch", "--quiet", "--detach"), f.repo) },
  { shape: "packed refs", branch: "main", make: (f) => (f.git("pack-refs", "--all"), f.repo) },
  {
    shape: "packed refs and a later commit",
    branch: "main",
    make: (f) => (f.git("tag", "-a", "-m", "t", "v1"), f.git("pack-refs", "--all"), f.commitAll("two"), f.repo),
  },
  {
    shape: "a branch with slashes and unusual letters, next to a similar one",
    branch: "größe/日本/x",
    make: (f) => {
      f.git("branch", "a/größe/日本/x");
      f.commitAll("two");
      f.git("switch", "--quiet", "-c", "größe/日本/x");
      f.git("pack-refs", "--all");
      return f.repo;
    },
  },
  {
    shape: "a linked worktree",
    branch: "other",
    make: (f) => {
      f.git("worktree", "add", "--quiet", "-b", "other", "../linked");
      f.commitAll("moved on");
      return join(f.base, "linked");
    },
  },
  {
    shape: "a linked worktree with packed refs",
    branch: "other",
    make: (f) => (
      f.git("worktree", "add", "--quiet", "-b", "other", "../linked"),
      f.git("pack-refs", "--all"),
      join(f.base, "linked")
    ),
  },
  {
    shape: "a submodule",
    branch: "main",
    make: (f) => {
      f.gitIn(f.base, "init", "--quiet", "inner");
      f.gitIn(join(f.base, "inner"), "commit", "--quiet", "--allow-empty", "-m", "inner");
      f.git("submodule", "--quiet", "add", join(f.base, "inner"), "sub");
      return join(f.repo, "sub");
    },
  },
  {
    shape: "a shallow clone",
    branch: "main",
    make: (f) => (
      f.gitIn(f.base, "clone", "--quiet", "--depth=1", `file://${f.repo}`, "shallow"),
      join(f.base, "shallow")
    ),
  },
  {
    shape: "a locked index",
    branch: "main",
    make: (f) => (writeFileSync(join(f.repo, ".git/index.lock"), ""), f.repo),
  },
];

describe("readHead", () => {
  test.each(readable)("agrees with git without starting it: $shape", ({ make, branch }) => {
    fixture.commitAll("one");
    const path = process.env["PATH"] ?? "";
    const folder = make(fixture);
    const found = readHead(folder);
    process.env["PATH"] = path;
    expect(found).toEqual({ hash: fixture.gitIn(folder, "rev-parse", "HEAD"), branch });
  });
});

const unreadable: { shape: string; make: (f: Fixture) => string }[] = [
  { shape: "no repository", make: (f) => f.base },
  { shape: "a missing folder", make: (f) => join(f.base, "nowhere") },
  {
    shape: "a bare repository",
    make: (f) => (f.gitIn(f.base, "init", "--quiet", "--bare", "bare"), join(f.base, "bare")),
  },
  { shape: "no commits", make: (f) => (f.gitIn(f.base, "init", "--quiet", "new"), join(f.base, "new")) },
  {
    shape: "sha256 objects",
    make: (f) => {
      f.gitIn(f.base, "init", "--quiet", "--object-format=sha256", "wide");
      f.gitIn(join(f.base, "wide"), "commit", "--quiet", "--allow-empty", "-m", "one");
      return join(f.base, "wide");
    },
  },
  {
    shape: "sha256 objects with packed refs",
    make: (f) => {
      f.gitIn(f.base, "init", "--quiet", "--object-format=sha256", "wide");
      f.gitIn(join(f.base, "wide"), "commit", "--quiet", "--allow-empty", "-m", "one");
      f.gitIn(join(f.base, "wide"), "pack-refs", "--all");
      return join(f.base, "wide");
    },
  },
  { shape: "refs in another store", make: (f) => (head(f, "ref: refs/heads/.invalid\n"), f.repo) },
  { shape: "a head outside the branches", make: (f) => (head(f, "ref: refs/remotes/origin/main\n"), f.repo) },
  { shape: "a head with a path upwards", make: (f) => (head(f, "ref: refs/heads/../../../secret\n"), f.repo) },
  { shape: "an empty head", make: (f) => (head(f, ""), f.repo) },
  { shape: "a head of two lines", make: (f) => (head(f, "ref: refs/heads/main\nx\n"), f.repo) },
  { shape: "a huge head", make: (f) => (head(f, "a".repeat(1_000_000)), f.repo) },
  {
    shape: "a branch that is not UTF-8",
    make: (f) => (head(f, Buffer.from([...Buffer.from("ref: refs/heads/"), 0xff, 0x0a])), f.repo),
  },
  {
    shape: "a damaged ref before a packed one",
    make: (f) => (f.git("pack-refs", "--all"), writeFileSync(join(f.repo, ".git/refs/heads/main"), "\n\n"), f.repo),
  },
  {
    shape: "a symbolic ref",
    make: (f) => (
      f.git("branch", "other"),
      writeFileSync(join(f.repo, ".git/refs/heads/main"), "ref: refs/heads/other\n"),
      f.repo
    ),
  },
  {
    shape: "a linked head",
    make: (f) => {
      rmSync(join(f.repo, ".git/HEAD"));
      writeFileSync(join(f.base, "secret"), `${"a".repeat(40)}\n`);
      symlinkSync(join(f.base, "secret"), join(f.repo, ".git/HEAD"));
      return f.repo;
    },
  },
  {
    shape: "a pipe as head",
    make: (f) => (rmSync(join(f.repo, ".git/HEAD")), execFileSync("mkfifo", [join(f.repo, ".git/HEAD")]), f.repo),
  },
  {
    shape: "a linked .git",
    make: (f) => (
      mkdirSync(join(f.base, "p")),
      symlinkSync(join(f.repo, ".git"), join(f.base, "p/.git")),
      join(f.base, "p")
    ),
  },
  {
    shape: "a .git that points to a missing folder",
    make: (f) => (
      mkdirSync(join(f.base, "p")),
      writeFileSync(join(f.base, "p/.git"), "gitdir: ../none\n"),
      join(f.base, "p")
    ),
  },
  {
    shape: "a .git file with other content",
    make: (f) => (mkdirSync(join(f.base, "p")), writeFileSync(join(f.base, "p/.git"), "hello\n"), join(f.base, "p")),
  },
];

const head = (f: Fixture, content: string | Buffer) => writeFileSync(join(f.repo, ".git/HEAD"), content);

describe("readHead in unusual repositories", () => {
  test.each(unreadable)("returns null: $shape", ({ make }) => {
    fixture.commitAll("one");
    expect(readHead(make(fixture))).toBeNull();
  });
});
