import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import type { Workspace } from "../../src/ports/workspace.ts";
import { gitIn, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const own = () => readdirSync(at(".git/isdlc")).map((name) => at(`.git/isdlc/${name}`));

let workspace: Workspace;
let before: string | null;

beforeEach(async () => {
  fixture.write("a", "1\n");
  fixture.write("folder/b", "1\n");
  fixture.commitAll("one");
  workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
  before = await workspace.snapshot("before", []);
});

/** Paths reported as different from the snapshot. */
async function told(): Promise<readonly string[]> {
  const changes = await workspace.diff(before, await workspace.now([]));
  return changes?.map(({ path }) => path).toSorted() ?? [];
}

describe("hidden write", () => {
  test("is reported after an update of the private index", async () => {
    fixture.write("a", "2\n");
    fixture.write("new", "1\n");
    const [folder = ""] = own();
    const env = { ...process.env, GIT_INDEX_FILE: join(folder, "index") };
    execFileSync("git", ["update-index", "--add", "a", "new"], { cwd: fixture.repo, env });
    expect(await told()).toEqual(["a", "new"]);
  });

  test("is reported in a folder that was a repository during the last scan", async () => {
    fixture.git("init", "--quiet", "lib");
    gitIn(at("lib"), "commit", "--quiet", "--allow-empty", "-m", "inside");
    expect(await told()).toEqual(["lib"]);
    rmSync(at("lib/.git"), { recursive: true });
    fixture.write("lib/hidden", "1\n");
    expect(await told()).toEqual(["lib/hidden"]);
  });

  test("is reported with the old size and time, in the second of the snapshot", async () => {
    for (let round = 0; ; round++) {
      expect(round).toBeLessThan(20);
      fixture.write("new", "1\n");
      utimesSync(at("new"), 1000, 1000);
      const taken = await workspace.snapshot("taken", []);
      const second = Math.floor(statSync(at("new")).ctimeMs / 1000);
      fixture.write("new", "2\n");
      utimesSync(at("new"), 1000, 1000);
      const isSameSecond = Math.floor(statSync(at("new")).ctimeMs / 1000) === second;
      expect(await workspace.now([])).not.toBe(taken);
      if (isSameSecond) return;
    }
  });

  test("is reported after unreferenced objects are deleted", async () => {
    const prune = () => fixture.git("-c", "gc.reflogExpire=now", "gc", "--quiet", "--prune=now");
    fixture.write("a", "2\n");
    const second = await workspace.now([]);
    fixture.write("a", "3\n");
    await workspace.now([]);
    prune();
    fixture.write("a", "2\n");
    expect(await workspace.now([])).toBe(second);
    expect(await told()).toEqual(["a"]);
    for (const ref of fixture.git("for-each-ref", "--format=%(refname)", "refs/isdlc").split("\n"))
      fixture.git("update-ref", "-d", ref);
    prune();
    expect(await workspace.snapshot("again", [])).toBe(second);
  });

  test("is reported after a folder is replaced by a link", async () => {
    mkdirSync(at("other"));
    renameSync(at("folder"), at("moved"));
    fixture.write("other/b", "2\n");
    symlinkSync("other", at("folder"));
    expect(await told()).toEqual(["folder", "folder/b", "moved/b", "other/b"]);
    unlinkSync(at("folder"));
    renameSync(at("moved"), at("folder"));
    rmSync(at("other"), { recursive: true });
    expect(await told()).toEqual([]);
  });

  test("is reported as in a first scan if the user's index is missing", async () => {
    fixture.write("secret", "1\n");
    rmSync(at(".git/index"));
    await workspace.snapshot("with", []);
    fixture.write(".gitignore", "secret\n");
    const fresh = await createGitWorkspace(fixture.repo, { run: "fresh", env: process.env }).snapshot("fresh", []);
    expect(await workspace.now([])).toBe(fresh);
  });
});

describe("private index", () => {
  test("is removed at exit, like the one left by a killed program", async () => {
    const dead = execFileSync(process.execPath, ["-p", "process.pid"], { encoding: "utf8" }).trim();
    const [living = ""] = own();
    const another = join(fixture.base, "another");
    fixture.gitIn(fixture.base, "init", "--quiet", another);
    const left = join(another, ".git/isdlc", basename(living).replace(`-${process.pid}-`, `-${dead}-`));
    const kept = join(another, ".git/isdlc", basename(living));
    for (const folder of [left, kept]) mkdirSync(folder, { recursive: true });
    await createGitWorkspace(another, { run: "other", env: process.env }).snapshot("one", []);
    expect([left, kept].map((folder) => existsSync(folder))).toEqual([false, true]);
    for (const listener of process.listeners("exit").filter(({ name }) => name.includes("removeLasting")))
      (listener as () => void)();
    expect(own()).toEqual([]);
  });

  test("needs one listener for many scans", async () => {
    const listeners = process.listenerCount("exit");
    for (const name of ["x", "y", "z"])
      await createGitWorkspace(fixture.repo, { run: name, env: process.env }).snapshot(name, []);
    expect(process.listenerCount("exit")).toBe(listeners);
  });
});
