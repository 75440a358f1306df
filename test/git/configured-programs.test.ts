import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitRead } from "../../src/adapters/git/read/git-read.ts";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { treeAt } from "../../src/schema/ids.ts";
import { toOutcome, useRepository } from "./repository-fixture.ts";
import type { Fixture } from "./repository-fixture.ts";

const fixture = useRepository();

/** A program that leaves a file with its name when it runs, then acts as a filter or diff. */
function plant(f: Fixture, name: string): string {
  const file = join(f.base, `program-${name}`);
  writeFileSync(
    file,
    `#!/bin/sh\n: > "${join(f.base, "fired")}/${name}"\ncase "$#" in 0) cat;; *) cat "$1" 2>/dev/null;; esac\nexit 0\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

const fired = (f: Fixture): string[] => readdirSync(join(f.base, "fired")).sort();

function clear(f: Fixture): void {
  rmSync(join(f.base, "fired"), { recursive: true, force: true });
  mkdirSync(join(f.base, "fired"));
}

/** A repository with one modified file and each setting and file that can start a program. */
function makeHostile(f: Fixture): void {
  f.write(".gitattributes", "*.txt diff=conv\n*.one filter=one\n*.two filter=two\n*.odd filter=a=b\n");
  for (const ending of ["txt", "one", "two", "odd"]) f.write(`file.${ending}`, "first\n");
  f.commitAll("one");
  for (const ending of ["txt", "one", "two", "odd"]) f.write(`file.${ending}`, "second\n");
  f.commitAll("two");
  for (const ending of ["txt", "one", "two", "odd"]) f.write(`file.${ending}`, "third, changed\n");
  f.git("config", "core.fsmonitor", plant(f, "fsmonitor"));
  f.git("config", "diff.external", plant(f, "external"));
  f.git("config", "diff.conv.textconv", plant(f, "textconv"));
  f.git("config", "filter.one.clean", plant(f, "clean"));
  f.git("config", "filter.one.smudge", plant(f, "smudge"));
  f.git("config", "filter.two.process", plant(f, "process"));
  f.git("config", "filter.two.required", "true");
  f.git("config", "filter.a=b.clean", plant(f, "odd"));
  f.git("config", "log.showSignature", "true");
  f.git("config", "core.pager", plant(f, "pager"));
  for (const hook of ["post-index-change", "reference-transaction", "post-checkout", "pre-commit"]) {
    f.hook(hook, `: > "${join(f.base, "fired")}/hook"`);
  }
  clear(f);
}

const unhardened = (f: Fixture, ...args: string[]) => spawnSync("git", args, { cwd: f.repo });

describe("programs configured by a repository [S5]", () => {
  const provoked: { program: string; args: string[] }[] = [
    { program: "fsmonitor", args: ["status", "--porcelain"] },
    { program: "hook", args: ["status", "--porcelain"] },
    { program: "external", args: ["diff", "HEAD~1", "HEAD"] },
    { program: "textconv", args: ["log", "-p"] },
    { program: "clean", args: ["add", "-A"] },
    { program: "process", args: ["add", "file.two"] },
    { program: "odd", args: ["add", "file.odd"] },
    { program: "smudge", args: ["checkout", "-f", "HEAD~1"] },
  ];
  test.each(provoked)("run in a plain call of git: $program", ({ program, args }) => {
    makeHostile(fixture);
    unhardened(fixture, ...args);
    expect(fired(fixture)).toContain(program);
  });

  test("never run in reads and snapshots", async () => {
    makeHostile(fixture);
    const read = createGitRead(fixture.repo, process.env);
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    expect((await read.dirty([])).length).toBe(4);
    await read.facts();
    await read.branchExists("main");
    await read.itemNames("docs");
    const one = await workspace.snapshot("one", []);
    fixture.write("file.one", "fourth, changed again\n");
    fixture.write("file.txt", "fourth, changed again\n");
    const two = await workspace.snapshot("two", []);
    expect((await workspace.diff(one, two))?.map(({ path }) => path)).toEqual(["file.one", "file.txt"]);
    expect(await workspace.lines(one, two, ["file.one"])).toBe(2);
    expect(await workspace.patch(one, two)).toContain("+fourth, changed again");
    const copy = await workspace.copy(one);
    await copy.dispose();
    await workspace.restore(one!, ["file.txt"]);
    expect(await toOutcome(workspace.restore(one!, ["file.one"]))).toMatchObject({
      problem: "GIT_FAILED",
      detail: "left as they are: file.one",
    });
    expect(fired(fixture)).toEqual([]);
  });

  test("never run from a submodule's filters and monitors", async () => {
    fixture.gitIn(fixture.base, "init", "--quiet", "inner");
    const inner = join(fixture.base, "inner");
    writeFileSync(join(inner, ".gitattributes"), "* filter=deep\n");
    writeFileSync(join(inner, "f"), "1\n");
    fixture.gitIn(inner, "add", "-A");
    fixture.gitIn(inner, "commit", "--quiet", "-m", "inner");
    fixture.git("submodule", "--quiet", "add", inner, "sub");
    fixture.commitAll("one");
    fixture.gitIn(join(fixture.repo, "sub"), "config", "filter.deep.clean", plant(fixture, "deep"));
    fixture.gitIn(join(fixture.repo, "sub"), "config", "core.fsmonitor", plant(fixture, "deep-monitor"));
    writeFileSync(join(fixture.repo, "sub", "f"), "2\n"); // Same length as before: git has to read the content.
    const later = Date.now() / 1000 + 10;
    utimesSync(join(fixture.repo, "sub", "f"), later, later);
    clear(fixture);
    unhardened(fixture, "status");
    expect(fired(fixture)).toEqual(["deep", "deep-monitor"]);
    clear(fixture);
    await createGitRead(fixture.repo, process.env).dirty([]);
    await createGitWorkspace(fixture.repo, { run: "run", env: process.env }).snapshot("one", []);
    expect(fired(fixture)).toEqual([]);
  });

  test("never fetch a missing object of a partial clone", async () => {
    fixture.write("a", "1");
    fixture.commitAll("one");
    fixture.git("config", "uploadpack.allowFilter", "true");
    fixture.gitIn(
      fixture.base,
      "clone",
      "--quiet",
      "--filter=blob:none",
      "--no-checkout",
      `file://${fixture.repo}`,
      "partial",
    );
    const partial = join(fixture.base, "partial");
    fixture.gitIn(partial, "config", "remote.origin.uploadpack", plant(fixture, "uploadpack"));
    fixture.gitIn(partial, "config", "protocol.file.allow", "always");
    clear(fixture);
    spawnSync("git", ["cat-file", "-p", "HEAD:a"], { cwd: partial });
    expect(fired(fixture)).toEqual(["uploadpack"]);
    clear(fixture);
    const workspace = createGitWorkspace(partial, { run: "run", env: process.env });
    const head = treeAt((await createGitRead(partial, process.env).facts())!.head!);
    await toOutcome(createGitRead(partial, process.env).dirty([]));
    expect(await toOutcome(workspace.restore(head, ["a"]))).toMatchObject({ problem: "GIT_FAILED" });
    expect(await toOutcome(workspace.copy(head))).toMatchObject({ problem: "GIT_FAILED" });
    expect(fired(fixture)).toEqual([]);
  });

  test("never run through GIT_* variables or a git inside the project", async () => {
    fixture.write("a", "1");
    fixture.commitAll("one");
    clear(fixture);
    fixture.write("bin/git", `#!/bin/sh\n: > "${join(fixture.base, "fired")}/own-git"\n`);
    chmodSync(join(fixture.repo, "bin/git"), 0o755);
    fixture.gitIn(fixture.base, "init", "--quiet", "decoy");
    process.env["PATH"] = `bin:.:${process.env["PATH"]}`;
    process.env["GIT_DIR"] = join(fixture.base, "decoy", ".git");
    process.env["GIT_EXTERNAL_DIFF"] = plant(fixture, "external");
    process.env["GIT_CONFIG_COUNT"] = "1";
    process.env["GIT_CONFIG_KEY_0"] = "core.fsmonitor";
    process.env["GIT_CONFIG_VALUE_0"] = plant(fixture, "fsmonitor");
    const read = createGitRead(fixture.repo, process.env);
    expect((await read.facts())?.head).toMatch(/^[0-9a-f]{40}$/);
    expect(await read.dirty([])).toEqual([{ path: "bin/git", change: "added" }]);
    expect(fired(fixture)).toEqual([]);
  });

  test("never run through a bare repository inside the working tree", async () => {
    fixture.write("a", "1");
    fixture.commitAll("one");
    fixture.gitIn(fixture.repo, "init", "--quiet", "--bare", "trap");
    const trap = join(fixture.repo, "trap");
    fixture.gitIn(trap, "config", "core.bare", "false");
    fixture.gitIn(trap, "--git-dir=.", "config", "core.worktree", fixture.repo);
    expect(await createGitRead(trap, process.env).facts()).toBeNull();
  });
});

describe("changes hidden from git status", () => {
  test.each(["--assume-unchanged", "--skip-worktree"])("are in a snapshot with %s", async (flag) => {
    fixture.write("a", "1");
    fixture.write("gone", "1");
    fixture.commitAll("one");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const before = await workspace.snapshot("before", []);
    fixture.git("update-index", flag, "a");
    fixture.write("a", "2");
    const after = await workspace.snapshot("after", []);
    expect(await workspace.diff(before, after)).toEqual([{ path: "a", change: "modified" }]);
    expect(fixture.git("ls-files", "-v", "a")).not.toMatch(/^H/);
  });

  test("are in a snapshot after an equal-sized edit in the second of the index", async () => {
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const moment = 1_700_000_000;
    fixture.write("a", "1");
    utimesSync(join(fixture.repo, "a"), moment, moment);
    fixture.commitAll("one");
    fixture.git("update-index", "--refresh");
    utimesSync(join(fixture.repo, ".git/index"), moment, moment);
    const before = await workspace.snapshot("before", []);
    writeFileSync(join(fixture.repo, "a"), "2");
    utimesSync(join(fixture.repo, "a"), moment, moment);
    fixture.git("config", "core.trustctime", "false");
    const after = await workspace.snapshot("after", []);
    expect(await workspace.diff(before, after)).toEqual([{ path: "a", change: "modified" }]);
    expect(existsSync(join(fixture.repo, ".git/index.lock"))).toBe(false);
  });
});
