import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLOCK_TICK, fileClock } from "../../src/adapters/git/snapshot/file-clock.ts";
import { createGitWorkspace } from "../../src/adapters/git/snapshot/git-workspace.ts";
import { createStampedDifferences } from "../../src/adapters/git/snapshot/stamped-differences.ts";
import { listGits } from "./count-gits.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { gitIn, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const include = ["docs/item", ".isdlc/work/run"];

/** Of rules that were written a moment ago only git can tell whether they are the same. */
const rulesAreSettled = () =>
  expect
    .poll(() => fileClock(fixture.base).time - lstatSync(at(".gitignore")).ctimeMs, { interval: 5 })
    .toBeGreaterThan(CLOCK_TICK);

/** A tree that was looked at before; how often git looked through it since, and what a first look would find. */
async function lookedAt() {
  fixture.write("a", "1\n");
  fixture.write("folder/b", "1\n");
  fixture.write(".gitignore", "*.log\n");
  fixture.write("docs/item/old.md", "1\n");
  fixture.write(".isdlc/work/run/old.md", "1\n");
  fixture.commitAll("one");
  await rulesAreSettled();
  const gits = listGits(fixture.base);
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
  const first = await workspace.now(include);
  const look = async () => {
    const before = gits().length;
    const snapshot = await workspace.now(include);
    const looks = gits()
      .slice(before)
      .filter((line) => line.includes(" ls-files "));
    return { snapshot, looks: looks.length };
  };
  const fresh = () => createGitWorkspace(fixture.repo, { run: "fresh", env: process.env }).now(include);
  return { first, look, fresh };
}

describe("git does not look through a tree of which every file is known, after", () => {
  const NO_TEXT = Buffer.concat([Buffer.from("folder/"), Buffer.from([0xe9])]);
  const touches: readonly (readonly [what: string, touch: () => void])[] = [
    ["another content", () => fixture.write("a", "2\n")],
    ["another content of the same size, with the old times", () => replaceQuietly(at("a"), "1", "2")],
    ["another mode", () => chmodSync(at("folder/b"), 0o755)],
    ["a link in the place of a file", () => (rmSync(at("a")), symlinkSync("folder/b", at("a")))],
    ["a new file", () => fixture.write("folder/c", "1\n")],
    ["a new file in a new folder", () => fixture.write("other/deep/c", "1\n")],
    ["a new file whose name is no text", () => fixture.write(NO_TEXT, "1\n")],
    ["a new document of ours", () => fixture.write(".isdlc/work/run/new.md", "1\n")],
    ["a new file that counts though it is ignored", () => fixture.write("docs/item/new.log", "1\n")],
    ["several of them", () => ["a", "folder/b", "folder/c", "x.log"].forEach((name) => fixture.write(name, "3\n"))],
  ];
  test.each(touches)("%s", async (_, touch) => {
    const { first, look, fresh } = await lookedAt();
    touch();
    const { snapshot, looks } = await look();
    expect(looks).toBe(0);
    expect(snapshot).toBe(await fresh());
    expect(snapshot).not.toBe(first);
    expect(await look()).toEqual({ snapshot, looks: 0 });
  });

  test("a new file that is ignored, which changes nothing", async () => {
    const { first, look, fresh } = await lookedAt();
    fixture.write("folder/x.log", "1\n");
    expect(await look()).toEqual({ snapshot: first, looks: 0 });
    expect(await fresh()).toBe(first);
  });
});

describe("git looks through a tree after", () => {
  const touches: readonly (readonly [what: string, touch: () => void])[] = [
    ["another rule", () => fixture.write(".gitignore", "b\n")],
    ["a new rule in a folder", () => fixture.write("folder/.gitignore", "c\n")],
    ["new attributes", () => fixture.write(".gitattributes", "* text\n")],
    ["a removed file", () => rmSync(at("a"))],
    ["a pipe", () => execFileSync("mkfifo", [at("pipe")])],
    ["a repository inside", () => gitIn(fixture.repo, "init", "--quiet", "inner")],
    ["other settings", () => void fixture.git("config", "core.autocrlf", "input")],
    ["another shared rule", () => writeFileSync(at(".git/info/exclude"), "folder\n")],
  ];
  test.each(touches)("%s", async (_, touch) => {
    const { look, fresh } = await lookedAt();
    fixture.write("x.log", "1\n");
    fixture.write("folder/c", "1\n");
    await look(); // the git that knows the rules has them from before
    touch();
    fixture.write("folder/d", "1\n");
    const { snapshot, looks } = await look();
    expect(looks).toBeGreaterThan(0);
    expect(snapshot).toBe(await fresh());
    fixture.write("folder/c.log", "1\n");
    expect((await look()).snapshot).toBe(await fresh());
  });
});

test("a file that could have been written again in the moment of its stamp is compared with what the index has", async () => {
  fixture.write("a", "1\n");
  fixture.write("b", "1\n");
  fixture.commitAll("one");
  const differences = createStampedDifferences({ top: fixture.repo, env: process.env });
  const touched = { files: [], doubted: ["a", "b"], isAll: true };
  const look = { environment: { GIT_INDEX_FILE: at(".git/index") }, include: [] };
  expect(await differences.since(touched, look)).toMatchObject({ files: [] });
  fixture.write("b", "2\n");
  expect(await differences.since(touched, look)).toMatchObject({ files: ["b"], added: [] });
});
