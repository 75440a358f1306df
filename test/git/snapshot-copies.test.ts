import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { releaseRepository } from "../../src/adapters/git/snapshot/repository-store.ts";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { rollDice } from "../support/dice.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const FILES = { "a.txt": "1\n", "folder/b.txt": "1\n", "folder/deep/c.txt": "1\n" };

/** A copy that was created, scanned and released. */
async function copied() {
  for (const [path, text] of Object.entries(FILES)) fixture.write(path, text);
  fixture.commitAll("one");
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
  const next = async () => workspace.copy(await workspace.now([]));
  const first = await next();
  return { dir: first.dir, dispose: () => first.dispose(), next };
}

/** All paths in a folder with type and content. */
function contentOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const { mode } = lstatSync(path);
    return [path.slice(folder.length + 1), `${mode} ${entry.isFile() ? readFileSync(path, "utf8") : ""}`];
  });
  return Object.fromEntries(entries.toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1))) as Record<
    string,
    string
  >;
}

/** Content of a newly written copy. */
async function whatItShouldBe(): Promise<Record<string, string>> {
  releaseRepository(fixture.repo);
  const workspace = createGitWorkspace(fixture.repo, { run: "other", env: process.env });
  const copy = await workspace.copy(await workspace.now([]));
  try {
    return contentOf(copy.dir);
  } finally {
    await copy.dispose();
    releaseRepository(fixture.repo);
  }
}

test("reuses an untouched copy and writes only the differences", async () => {
  const { dir, dispose, next } = await copied();
  const written = lstatSync(join(dir, "folder/b.txt"));
  await dispose();
  fixture.write("a.txt", "2\n");
  fixture.write("new/d.txt", "1\n");
  const second = await next();
  expect(second.dir).toBe(dir);
  expect(lstatSync(join(dir, "folder/b.txt"))).toMatchObject({ ino: written.ino, ctimeMs: written.ctimeMs });
  await second.dispose();
  rmSync(join(fixture.repo, "folder/deep"), { recursive: true });
  const third = await next();
  expect(third.dir).toBe(dir);
  const content = contentOf(dir);
  expect(Object.keys(content)).toEqual(["a.txt", "folder", "folder/b.txt", "new", "new/d.txt"]);
  await third.dispose();
  expect(content).toEqual(await whatItShouldBe());
});

const touches: readonly (readonly [what: string, touch: (dir: string) => void])[] = [
  ["changed content", (dir) => writeFileSync(join(dir, "a.txt"), "evil\n")],
  ["changed content of equal size with the old times", (dir) => replaceQuietly(join(dir, "a.txt"), "1", "2")],
  ["a changed mode", (dir) => chmodSync(join(dir, "a.txt"), 0o755)],
  ["a changed mode of a folder", (dir) => chmodSync(join(dir, "folder"), 0o777)],
  ["a new file", (dir) => writeFileSync(join(dir, "folder/new"), "")],
  ["a new folder", (dir) => mkdirSync(join(dir, "folder/new"))],
  ["a repository", (dir) => mkdirSync(join(dir, ".git"))],
  ["a deleted file", (dir) => rmSync(join(dir, "folder/b.txt"))],
  ["a hard link outside", (dir) => linkSync(join(dir, "a.txt"), join(fixture.base, "mine"))],
  [
    "a link instead of a folder",
    (dir) => (
      renameSync(join(dir, "folder"), join(fixture.base, "f")),
      symlinkSync(join(fixture.base, "f"), join(dir, "folder"))
    ),
  ],
];

test.each(touches)("discards a copy in use after %s", async (_, touch) => {
  const { dir, dispose, next } = await copied();
  touch(dir);
  await dispose();
  expect(existsSync(dir)).toBe(false);
  const copy = await next();
  expect(Object.keys(contentOf(copy.dir)).filter((path) => path.endsWith(".txt"))).toEqual(Object.keys(FILES));
});

test.each(touches)("discards a released copy after %s", async (_, touch) => {
  const { dir, dispose, next } = await copied();
  await dispose();
  touch(dir);
  const copy = await next();
  expect([existsSync(dir), copy.dir === dir]).toEqual([false, false]);
  await copy.dispose();
  expect(contentOf(copy.dir)).toEqual(await whatItShouldBe());
});

test("uses a folder per concurrent copy and keeps one until the release", async () => {
  const { dir, dispose, next } = await copied();
  const other = await next();
  expect(other.dir).not.toBe(dir);
  await dispose();
  await other.dispose();
  expect(readdirSync(tmpdir())).toEqual([dir.slice(tmpdir().length + 1)]);
  releaseRepository(fixture.repo);
  expect(readdirSync(tmpdir())).toEqual([]);
});

test("creates a new copy if attributes changed", async () => {
  const { dir, dispose, next } = await copied();
  await dispose();
  fixture.write(".gitattributes", "*.txt eol=crlf\n");
  const copy = await next();
  expect(copy.dir).not.toBe(dir);
  expect(readFileSync(join(copy.dir, "a.txt"), "utf8")).toBe("1\r\n");
});

test.for([1, 2, 3])("reuses a copy equal to a new one after random changes, seed %d", async (seed) => {
  const dice = rollDice(seed);
  const { dispose, next } = await copied();
  await dispose();
  const names = ["a.txt", "a.txt/x", "folder/b.txt", "folder/deep", "folder/deep/c.txt", "n", "m/n/o"];
  let reused = 0;
  let kept = "";
  for (let step = 0; step < 12; step++) {
    const name = dice.of(names);
    const path = join(fixture.repo, name);
    try {
      if (dice.chance(30)) rmSync(path, { recursive: true, force: true });
      else if (dice.chance(20)) symlinkSync("folder", path);
      else fixture.write(name, `${dice.number()}\n`);
      if (dice.chance(30) && existsSync(path) && lstatSync(path).isFile()) chmodSync(path, 0o755);
    } catch {
      continue; // A file instead of a folder.
    }
    const [one, other] = [await next(), await next()];
    expect(contentOf(one.dir)).toEqual(contentOf(other.dir));
    reused += one.dir === kept ? 1 : 0;
    kept = one.dir;
    await one.dispose();
    await other.dispose();
  }
  expect(reused).toBeGreaterThan(3);
});
