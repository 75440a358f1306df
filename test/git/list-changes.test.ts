import { spawnSync } from "node:child_process";
import { chmodSync, renameSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hardenedGit } from "../../src/adapters/git/process/git.ts";
import { listChanges } from "../../src/adapters/git/snapshot/list-changes.ts";
import { useRepository } from "./repository-fixture.ts";
import { indexEntries } from "../../src/adapters/git/snapshot/look-through.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const environment = () => ({ GIT_INDEX_FILE: at(".git/index") });

const listed = async () => {
  const { added, modified } = await listChanges(hardenedGit(fixture.repo, process.env), environment());
  return { added: [...added].toSorted(), modified: [...modified].toSorted() };
};

function feed(options: readonly string[], input: string): void {
  expect(spawnSync("git", ["update-index", ...options], { cwd: fixture.repo, input }).status).toBe(0);
}

/** Fills the index with entries of missing files, marked as skip-worktree. */
function fill(count: number): void {
  const blob = fixture.git("hash-object", "-w", at("a"));
  const names = Array.from({ length: count }, (_, number) => `sparse/${"long-".repeat(40)}${number}`);
  feed(["--index-info"], names.map((name) => `100644 ${blob}\t${name}\n`).join(""));
  feed(["--skip-worktree", "--stdin"], names.map((name) => `${name}\n`).join(""));
}

describe.each([
  ["a small index, compared by one git", 0],
  ["a large index, compared by two", 3_000],
])("listChanges with %s", (_, count) => {
  const LARGE = 512 * 1024;

  function prepare(): void {
    for (const path of ["a", "b", "c", "folder/d", "folder/e", "gone"]) fixture.write(path, `${path}\n`);
    fixture.write(".gitignore", "*.log\n");
    fixture.commitAll("one");
    fill(count);
    expect(statSync(at(".git/index")).size > LARGE).toBe(count > 0);
  }

  test("returns nothing without changes", async () => {
    prepare();
    expect(await listed()).toEqual({ added: [], modified: [] });
  });

  test("returns written, executable, replaced, removed and added files, without ignored ones", async () => {
    prepare();
    fixture.write("a", "other\n");
    chmodSync(at("b"), 0o755);
    rmSync(at("c"));
    symlinkSync("a", at("c"));
    rmSync(at("gone"));
    fixture.write("new/file", "x");
    fixture.write("new/x.log", "x");
    expect(await listed()).toEqual({ added: ["new/file"], modified: ["a", "b", "c", "gone"] });
  });

  test("returns a file of equal size and time if its ctime changed", async () => {
    prepare();
    const { atime, mtime } = statSync(at("a"));
    fixture.write("a", "A\n");
    utimesSync(at("a"), atime, mtime);
    expect((await listed()).modified).toEqual(["a"]);
  });

  test("returns a nested repository, but none of its files", async () => {
    prepare();
    fixture.git("init", "--quiet", "inner");
    fixture.write("inner/file", "x");
    expect(await listed()).toEqual({ added: ["inner/"], modified: [] });
  });

  test("starts no program configured in a submodule", async () => {
    prepare();
    fixture.git("init", "--quiet", "module");
    fixture.write("module/file", "x\n");
    fixture.gitIn(at("module"), "add", "--all");
    fixture.gitIn(at("module"), "commit", "--quiet", "-m", "inside");
    fixture.git("add", "module");
    fixture.write("module/.gitattributes", "* filter=told\n");
    fixture.gitIn(at("module"), "config", "filter.told.clean", `touch ${at("ran")}; cat`);
    fixture.write("module/file", "y\n");
    expect(await listed()).toEqual({ added: [], modified: [] });
    fixture.gitIn(at("module"), "config", "--unset", "filter.told.clean"); // Otherwise this commit would run it.
    fixture.gitIn(at("module"), "commit", "--quiet", "--allow-empty", "-m", "more");
    expect(await listed()).toEqual({ added: [], modified: ["module"] });
  });

  test("returns a folder replaced by a link, with its files for a large index", async () => {
    prepare();
    renameSync(at("folder"), at("elsewhere"));
    symlinkSync("elsewhere", at("folder"));
    const { added, modified } = await listed();
    expect(added).toEqual(["elsewhere/d", "elsewhere/e", "folder"]);
    expect(modified).toEqual(count === 0 ? [] : ["folder/d", "folder/e"]);
  });

  test("returns the entries listed by git, with their marks", async () => {
    prepare();
    fixture.git("update-index", "--assume-unchanged", "a");
    const { entries: found } = await indexEntries(hardenedGit(fixture.repo, process.env), environment(), () => true);
    const told = fixture.git("ls-files", "-v").split("\n");
    expect(
      found.map(({ name, isAssumed, isSkipped }) => {
        const tag = isSkipped ? "S" : "H";
        return `${isAssumed ? tag.toLowerCase() : tag} ${name}`;
      }),
    ).toEqual(told);
  });
});
