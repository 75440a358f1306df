import { constants, existsSync } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { isWithin } from "../sandbox/is-within.ts";
import type { TestFolder } from "../sandbox/test-sandbox.ts";
import { isRegenerated, type TestSurroundings } from "./test-surroundings.ts";

export type CopyRequest = {
  readonly root: string;
  /** A copy of the tree to be tested. */
  readonly copy: string;
  readonly surroundings: TestSurroundings;
  /** Dependencies that tests write into: copied instead of shown read-only, if they are not too large. */
  readonly written: ReadonlySet<string>;
};

/** Puts what git ignores and tests read beside a copy of the tree: some of it copied, the rest to be shown read-only. */
export async function completeCopy({ root, copy, surroundings, written }: CopyRequest): Promise<TestFolder> {
  const readOnly: string[] = [];
  const budget = { files: MAX_FILES, bytes: MAX_BYTES };
  const forWritten = { files: MAX_WRITTEN_FILES, bytes: MAX_WRITTEN_BYTES };
  for (const path of surroundings.dependencies)
    for (const entry of await dependency({ root, copy, path })) {
      if (written.has(entry) && (await fits(join(root, entry), forWritten)))
        await copyEntry({ root, copy, path: entry });
      else readOnly.push(entry);
    }
  for (const path of surroundings.others) {
    if (!existsSync(join(root, path))) continue; // a link to nothing, or gone since it was listed
    if (!(await fits(join(root, path), budget))) readOnly.push(path);
    else await copyEntry({ root, copy, path });
  }
  return { copy, readOnly };
}

/** What is copied at most of all that is ignored; a larger part is shown read-only. */
const MAX_FILES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
/** What is copied at most of the dependencies that tests write into. */
const MAX_WRITTEN_FILES = 20_000;
const MAX_WRITTEN_BYTES = 256 * 1024 * 1024;
/** Mounts take time that grows with the square of their number. */
const MAX_PACKAGES = 500;

type CopyEntry = { readonly root: string; readonly copy: string; readonly path: string };

/**
 * Test runners write caches among the packages: a folder of packages stays writable itself, and each package in it is shown
 * read-only. With more of them than can be mounted one by one, all of it is read-only.
 */
async function dependency({ root, copy, path }: CopyEntry): Promise<readonly string[]> {
  if (basename(path) !== "node_modules" || !(await isFolder(join(root, path)))) return [path];
  const names = (await readdir(join(root, path))).filter((name) => !isRegenerated(name));
  if (names.length > MAX_PACKAGES) return [path];
  const shown: string[] = [];
  for (const name of names) {
    const entry = `${path}/${name}`;
    if ((await lstat(join(root, entry))).isSymbolicLink()) await copyEntry({ root, copy, path: entry });
    else shown.push(entry);
  }
  if (shown.length === 0) await mkdir(await placeFor(copy, `${path}/x`).then(dirname), { recursive: true });
  return shown;
}

/** Links stay links, files are read without following one; sockets, pipes and devices are left out. */
async function copyEntry({ root, copy, path }: CopyEntry): Promise<void> {
  const from = join(root, path);
  const facts = await lstat(from);
  if (facts.isDirectory()) {
    for (const name of await readdir(from)) await copyEntry({ root, copy, path: `${path}/${name}` });
    await mkdir(join(await placeFor(copy, `${path}/x`), ".."), { recursive: true });
  } else if (facts.isSymbolicLink()) {
    await symlink(await readlink(from), await placeFor(copy, path));
  } else if (facts.isFile()) {
    await writeFile(await placeFor(copy, path), await readContents(root, path), {
      flag: "wx",
      mode: facts.mode & 0o777,
    });
  }
}

/** Removes a file from a copy; one that a link leads to elsewhere stays. */
export async function removeFromCopy(copy: string, path: string): Promise<void> {
  await rm(await placeFor(copy, path), { recursive: true, force: true });
}

/** Where a path goes in the copy. A link that the tree holds does not lead us out of it. */
async function placeFor(copy: string, path: string): Promise<string> {
  const folder = dirname(join(copy, path));
  await mkdir(folder, { recursive: true });
  if (!isWithin(await realpath(folder), await realpath(copy))) throw unsafe(path, "leads out of the copy");
  return join(folder, basename(path));
}

async function readContents(root: string, path: string): Promise<Buffer> {
  const folder = await realpath(dirname(join(root, path)));
  if (!isWithin(folder, await realpath(root))) throw unsafe(path, "leads out of the tree");
  const handle = await open(
    join(folder, basename(path)),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Takes what it would cost from the budget. */
async function fits(path: string, budget: { files: number; bytes: number }): Promise<boolean> {
  const facts = await lstat(path);
  if (!facts.isDirectory()) {
    budget.files -= 1;
    budget.bytes -= facts.size;
    return budget.files >= 0 && budget.bytes >= 0;
  }
  for (const name of await readdir(path)) if (!(await fits(join(path, name), budget))) return false;
  return true;
}

const isFolder = async (path: string): Promise<boolean> => (await lstat(path)).isDirectory();

const unsafe = (path: string, what: string): ProblemError =>
  new ProblemError({ code: "UNSAFE_PATH", path, detail: `it ${what} by a link` });
