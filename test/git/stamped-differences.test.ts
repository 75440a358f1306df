import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLOCK_TICK, fileClock } from "../../src/adapters/git/snapshot/file-clock.ts";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { createStampedDifferences } from "../../src/adapters/git/snapshot/stamped-differences.ts";
import { listGits } from "./count-gits.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { gitIn, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const include = ["docs/item", ".isdlc/work/run"];

/** Rules written recently can only be compared by git. */
const rulesAreSettled = () =>
  expect
    .poll(() => fileClock(fixture.base).time - lstatSync(at(".gitignore")).ctimeMs, { interval: 5 })
    .toBeGreaterThan(CLOCK_TICK);

/** A tree that was scanned before, the number of git scans since, and the result of a first scan. */
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

describe("scan without git of a fully known tree", () => {
  const NO_TEXT = Buffer.concat([Buffer.from("folder/"), Buffer.from([0xe9])]);
  const touches: readonly (readonly [what: string, touch: () => void])[] = [
    ["includes changed content", () => fixture.write("a", "2\n")],
    ["includes changed content of equal size with the old times", () => replaceQuietly(at("a"), "1", "2")],
    ["includes a changed mode", () => chmodSync(at("folder/b"), 0o755)],
    ["includes a link instead of a file", () => (rmSync(at("a")), symlinkSync("folder/b", at("a")))],
    ["includes a new file", () => fixture.write("folder/c", "1\n")],
    ["includes a new file in a new folder", () => fixture.write("other/deep/c", "1\n")],
    ["includes a new file whose name is not UTF-8", () => fixture.write(NO_TEXT, "1\n")],
    ["includes a new document in .isdlc", () => fixture.write(".isdlc/work/run/new.md", "1\n")],
    ["includes an ignored file under an included path", () => fixture.write("docs/item/new.log", "1\n")],
    [
      "includes several changes",
      () => ["a", "folder/b", "folder/c", "x.log"].forEach((name) => fixture.write(name, "3\n")),
    ],
  ];
  test.each(touches)("%s", async (_, touch) => {
    const { first, look, fresh } = await lookedAt();
    touch();
    const { snapshot, looks } = await look();
    expect(looks).toBe(0);
    expect(snapshot).toBe(await fresh());
    expect(snapshot).not.toBe(first);
    const later: string[] = [];
    const lookAgain = async (): Promise<number> => {
      const again = await look();
      later.push(again.snapshot ?? "none");
      return again.looks;
    };
    // Git compares a file until its timestamp is old enough to show every later change.
    await expect.poll(lookAgain, { interval: CLOCK_TICK }).toBe(0);
    expect(new Set(later)).toEqual(new Set([snapshot]));
  });

  test("excludes a new ignored file", async () => {
    const { first, look, fresh } = await lookedAt();
    fixture.write("folder/x.log", "1\n");
    expect(await look()).toEqual({ snapshot: first, looks: 0 });
    expect(await fresh()).toBe(first);
  });
});

describe("scan with git", () => {
  const touches: readonly (readonly [what: string, touch: () => void])[] = [
    ["follows a changed rule", () => fixture.write(".gitignore", "b\n")],
    ["follows a new rule in a folder", () => fixture.write("folder/.gitignore", "c\n")],
    ["follows new attributes", () => fixture.write(".gitattributes", "* text\n")],
    ["follows a removed file", () => rmSync(at("a"))],
    ["follows a new pipe", () => execFileSync("mkfifo", [at("pipe")])],
    ["follows a nested repository", () => gitIn(fixture.repo, "init", "--quiet", "inner")],
    ["follows changed settings", () => void fixture.git("config", "core.autocrlf", "input")],
    ["follows a changed info/exclude", () => writeFileSync(at(".git/info/exclude"), "folder\n")],
  ];
  test.each(touches)("%s", async (_, touch) => {
    const { look, fresh } = await lookedAt();
    fixture.write("x.log", "1\n");
    fixture.write("folder/c", "1\n");
    await look(); // The git process that evaluates rules loaded them before.
    touch();
    fixture.write("folder/d", "1\n");
    const { snapshot, looks } = await look();
    expect(looks).toBeGreaterThan(0);
    expect(snapshot).toBe(await fresh());
    fixture.write("folder/c.log", "1\n");
    expect((await look()).snapshot).toBe(await fresh());
  });
});

test("compares a file with the index if it may have changed within its timestamp's resolution", async () => {
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
