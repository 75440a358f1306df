import { constants, existsSync } from "node:fs";
import { lstat, mkdir, open, readdir, readlink, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import type { TestFolder } from "../sandbox/test-sandbox.ts";
import { isRegenerated, type TestSurroundings } from "./test-surroundings.ts";
import { isWithin } from "../sandbox/bounds.ts";

export type CopyRequest = {
  readonly root: string;
  /** Copy of the working tree to test. */
  readonly copy: string;
  readonly surroundings: TestSurroundings;
  /** Dependencies that tests write into: copied instead of mounted read-only, unless they are too large. */
  readonly written: ReadonlySet<string>;
};

/**
 * Adds the ignored inputs of tests to a copy of the working tree. Some are copied, others listed for a read-only
 * mount.
 */
export async function completeCopy({ root, copy, surroundings, written }: CopyRequest): Promise<TestFolder> {
  const readOnly: string[] = [];
  const budget = { files: MAX_COPIED_IGNORED_FILES, bytes: MAX_COPIED_IGNORED_BYTES };
  const forWritten = { files: MAX_WRITTEN_FILES, bytes: MAX_WRITTEN_BYTES };
  for (const path of surroundings.dependencies)
    for (const entry of await dependency({ root, copy, path })) {
      if (written.has(entry) && (await fits(join(root, entry), forWritten)))
        await copyEntry({ root, copy, path: entry });
      else readOnly.push(entry);
    }
  for (const path of surroundings.others) {
    if (!existsSync(join(root, path))) continue; // a link without target, or deleted since it was listed
    if (!(await fits(join(root, path), budget))) readOnly.push(path);
    else await copyEntry({ root, copy, path });
  }
  return { copy, readOnly };
}

/** Limits for copies of ignored files. Larger parts are mounted read-only. */
const MAX_COPIED_IGNORED_FILES = 2000;
const MAX_COPIED_IGNORED_BYTES = 64 * 1024 * 1024;
/** Limits for copies of dependencies that tests write into. */
const MAX_WRITTEN_FILES = 20_000;
const MAX_WRITTEN_BYTES = 256 * 1024 * 1024;
/** The time for mounts grows with the square of their number. */
const MAX_PACKAGES = 500;

type CopyEntry = { readonly root: string; readonly copy: string; readonly path: string };

/**
 * Keeps a folder of packages writable, as test runners write caches into it, and lists each package for a read-only
 * mount. A folder with too many packages for separate mounts is read-only as a whole.
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

/** Copies files and folders. Links stay links and are not followed; sockets, pipes and devices are omitted. */
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

/**
 * Removes a file from a copy.
 * @throws ProblemError UNSAFE_PATH if a link leads out of the copy; that file stays
 */
export async function removeFromCopy(copy: string, path: string): Promise<void> {
  await rm(await placeFor(copy, path), { recursive: true, force: true });
}

/**
 * Returns the location of a path in the copy.
 * @throws ProblemError UNSAFE_PATH if a link in the working tree leads out of the copy
 */
async function placeFor(copy: string, path: string): Promise<string> {
  const folder = dirname(join(copy, path));
  await mkdir(folder, { recursive: true });
  if (!isWithin(await realpath(folder), await realpath(copy))) throw unsafe(path, "leads out of the copy by a link");
  return join(folder, basename(path));
}

async function readContents(root: string, path: string): Promise<Buffer> {
  const folder = await realpath(dirname(join(root, path)));
  if (!isWithin(folder, await realpath(root))) throw unsafe(path, "leads out of the tree by a link");
  const handle = await open(
    join(folder, basename(path)),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const facts = await handle.stat(); // a pipe may have replaced it, and a file may grow
    if (!facts.isFile() || facts.size > MAX_WRITTEN_BYTES) throw unsafe(path, "was replaced while it was copied");
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(facts.size), 0, facts.size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Subtracts the size of a path from the budget. Returns false if the budget is exceeded. */
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
  new ProblemError({ code: "UNSAFE_PATH", path, detail: `it ${what}` });
