import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, lstat, open, readlink, symlink, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { OWN, OWN_FOLDER, OWN_IGNORE, endedPath, isOfTheMoment, ownPath } from "../../../core/own-folder.ts";
import { ensureFolder, nodeFiles, replaceFile, syncFolder } from "../../files/file-system.ts";
import { createFileLock, whileHeld } from "../../journal/file-lock.ts";
import { systemLockProcesses } from "../../journal/lock-files.ts";
import { hardenedGit, must } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import { gitFailed } from "../process/run-git.ts";
import { walkTree } from "./worktree-files.ts";
import { fileAt } from "../snapshot/worktree-uncommitted.ts";

const CARRY_LOCK_TIMEOUT_MS = 10_000;

/**
 * Copies the untracked files under `.isdlc` of a linked tree to the main tree, without temporary ones. Journals of
 * ended runs join those of the main tree, where the history finds them. All other files go to
 * `.isdlc/worktrees/<name>`. Nothing is overwritten; files that exist there with the same content are not copied
 * again. Returns the paths of all files, relative to the main tree.
 */
export async function carryOwnFiles(tree: string, main: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const paths = await ownFiles(tree, env);
  if (paths.length === 0) return [];
  prepare(main);
  const processes = systemLockProcesses();
  const lock = createFileLock({ directory: join(main, OWN_FOLDER), name: OWN.lock, files: nodeFiles, processes });
  return whileHeld(lock, CARRY_LOCK_TIMEOUT_MS, async () => {
    const carried: string[] = [];
    for (const path of paths) carried.push(await carry({ tree, main, path }));
    return carried;
  });
}

/** Lists untracked files under `.isdlc`, relative to it, without temporary ones. */
async function ownFiles(tree: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const found = await lstat(join(tree, OWN_FOLDER)).catch(() => null);
  if (found?.isDirectory() !== true) return [];
  const { files } = await walkTree(tree, OWN_FOLDER);
  const output = await must(hardenedGit(tree, env)(["ls-files", "-z", "--", OWN_FOLDER]), "ls-files");
  const tracked = new Set(splitFields(output).map(decodePath));
  return files
    .filter((path) => !tracked.has(path))
    .map((path) => path.slice(ownPath("").length))
    .filter((path) => !isOfTheMoment(path));
}

/** Creates `.isdlc` and its `.gitignore`: copied files must not become changes of the main tree. */
function prepare(main: string): void {
  const own = join(main, OWN_FOLDER);
  ensureFolder(nodeFiles, own);
  const ignore = join(own, OWN.ignore);
  if (nodeFiles.lstatSync(ignore, { throwIfNoEntry: false }) === undefined)
    replaceFile(nodeFiles, ignore, Buffer.from(OWN_IGNORE));
}

type Carry = { readonly tree: string; readonly main: string; readonly path: string };

/** Maximum number of different copies of one file. More are treated as an error. */
const MAX_COPIES = 1000;

async function carry({ tree, main, path }: Carry): Promise<string> {
  const source = fileAt(tree, ownPath(path));
  const ended = endedPath(path); // ended runs join those of the main tree
  const archives = Array.from({ length: MAX_COPIES }, (_, index) => {
    const ending = index === 0 ? "" : `-${index + 1}`;
    return ownPath(OWN.worktrees, `${basename(tree)}${ending}`, path);
  });
  for (const place of ended === null ? archives : [ownPath(ended), ...archives]) {
    ensureParents(main, place);
    const target = fileAt(main, place);
    if (await isSame(source, target)) return place;
    if (!(await copyNew(source, target))) continue;
    syncFolder(nodeFiles, dirname(join(main, place)));
    return place;
  }
  throw gitFailed("worktree", `${path} cannot be carried to ${main}`);
}

function ensureParents(main: string, place: string): void {
  const parts = place.split("/").slice(0, -1);
  for (const index of parts.keys()) ensureFolder(nodeFiles, join(main, ...parts.slice(0, index + 1)));
}

async function isSame(source: Buffer, target: Buffer): Promise<boolean> {
  const [from, to] = [await lstat(source), await lstat(target).catch(() => null)];
  if (to === null || from.isSymbolicLink() !== to.isSymbolicLink()) return false;
  if (from.isSymbolicLink()) return (await readlink(source, "buffer")).equals(await readlink(target, "buffer"));
  if (!from.isFile() || !to.isFile() || from.size !== to.size) return false;
  return (await digestContent(source, from.size)) === (await digestContent(target, to.size));
}

async function digestContent(file: Buffer, size: number): Promise<string> {
  const hash = createHash("sha256");
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe may have replaced it
  await pipeline(handle.createReadStream({ end: Math.max(0, size - 1) }), hash);
  return hash.digest("hex");
}

/** Returns false if the target exists. The content is synced to disk before the file gets its name. */
async function copyNew(source: Buffer, target: Buffer): Promise<boolean> {
  const temporary = Buffer.concat([target, Buffer.from(`.${randomBytes(8).toString("hex")}.tmp`)]);
  try {
    const found = await lstat(source);
    if (!found.isFile() && !found.isSymbolicLink())
      throw gitFailed("worktree", `${source.toString()} is not a plain file`);
    if (found.isSymbolicLink()) {
      await symlink(await readlink(source, "buffer"), target);
      return true;
    }
    await copyFile(source, temporary, constants.COPYFILE_EXCL);
    await sync(temporary);
    await link(temporary, target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

async function sync(file: Buffer): Promise<void> {
  const handle = await open(file, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
