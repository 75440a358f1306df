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
import { releaseRepository } from "../../src/adapters/git/objects/repository-store.ts";
import { createGitWorkspace } from "../../src/adapters/git/snapshot/git-workspace.ts";
import { rollDice } from "../support/dice.ts";
import { replaceQuietly } from "./replace-quietly.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const FILES = { "a.txt": "1\n", "folder/b.txt": "1\n", "folder/deep/c.txt": "1\n" };

/** A copy that was made, looked at and given back. */
async function copied() {
  for (const [path, text] of Object.entries(FILES)) fixture.write(path, text);
  fixture.commitAll("one");
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
  const next = async () => workspace.copy(await workspace.now([]));
  const first = await next();
  return { dir: first.dir, dispose: () => first.dispose(), next };
}

/** Everything in a folder: what it is, and what is in it. */
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

/** What a copy has that was written for the purpose. */
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

test("a copy that nobody touched becomes the next one, and only what differs is written", async () => {
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
  ["another content", (dir) => writeFileSync(join(dir, "a.txt"), "evil\n")],
  ["another content of the same size, with the old times", (dir) => replaceQuietly(join(dir, "a.txt"), "1", "2")],
  ["another mode", (dir) => chmodSync(join(dir, "a.txt"), 0o755)],
  ["another mode of a folder", (dir) => chmodSync(join(dir, "folder"), 0o777)],
  ["a new file", (dir) => writeFileSync(join(dir, "folder/new"), "")],
  ["a new folder", (dir) => mkdirSync(join(dir, "folder/new"))],
  ["a repository", (dir) => mkdirSync(join(dir, ".git"))],
  ["a file that is gone", (dir) => rmSync(join(dir, "folder/b.txt"))],
  ["another name of a file, outside", (dir) => linkSync(join(dir, "a.txt"), join(fixture.base, "mine"))],
  [
    "a link in the place of a folder",
    (dir) => (
      renameSync(join(dir, "folder"), join(fixture.base, "f")),
      symlinkSync(join(fixture.base, "f"), join(dir, "folder"))
    ),
  ],
];

test.each(touches)("a copy is not used again after %s", async (_, touch) => {
  const { dir, dispose, next } = await copied();
  touch(dir);
  await dispose();
  expect(existsSync(dir)).toBe(false);
  const copy = await next();
  expect(Object.keys(contentOf(copy.dir)).filter((path) => path.endsWith(".txt"))).toEqual(Object.keys(FILES));
});

test.each(touches)("nor is a copy that was given back, after %s", async (_, touch) => {
  const { dir, dispose, next } = await copied();
  await dispose();
  touch(dir);
  const copy = await next();
  expect([existsSync(dir), copy.dir === dir]).toEqual([false, false]);
  await copy.dispose();
  expect(contentOf(copy.dir)).toEqual(await whatItShouldBe());
});

test("two copies at a time are two folders, of which one is kept until the working tree goes", async () => {
  const { dir, dispose, next } = await copied();
  const other = await next();
  expect(other.dir).not.toBe(dir);
  await dispose();
  await other.dispose();
  expect(readdirSync(tmpdir())).toEqual([dir.slice(tmpdir().length + 1)]);
  releaseRepository(fixture.repo);
  expect(readdirSync(tmpdir())).toEqual([]);
});

test("other attributes, by which all files may be written differently, begin a new copy", async () => {
  const { dir, dispose, next } = await copied();
  await dispose();
  fixture.write(".gitattributes", "*.txt eol=crlf\n");
  const copy = await next();
  expect(copy.dir).not.toBe(dir);
  expect(readFileSync(join(copy.dir, "a.txt"), "utf8")).toBe("1\r\n");
});

test.for([1, 2, 3])("whatever changed in the tree, a copy is what a first one is, seed %d", async (seed) => {
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
      continue; // a file in the place of a folder
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
