import { lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { ThrowAwayCopy } from "../../../ports/workspace.ts";
import { makeTemporaryFolder, removeAtExit, removeFolder } from "../../files/temporary-folder.ts";
import type { GitObjects } from "../objects/git-objects.ts";
import type { Git } from "../process/git.ts";
import { decodePath, inTree, type RawPath, rawInTree } from "../process/git-path.ts";
import { differingFrom } from "./doubted-files.ts";
import { exportTree } from "./export-tree.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import { listChanges } from "./tree-diff.ts";
import { CLOCK_TICK } from "./file-clock.ts";
import { entriesBelow, entryStamp } from "./written-entries.ts";

export type CopyRequest = {
  /** Top of the working tree. */
  readonly top: string;
  readonly git: Git;
  readonly objects: GitObjects;
  readonly snapshot: string;
  /** An index with exactly the files of the snapshot, if there is one. */
  readonly index: IndexEnvironment | null;
};

/** A copy as git wrote it. */
type CopyRecord = {
  readonly dir: string;
  readonly snapshot: string;
  /** Stat data of each file and folder, by path. */
  readonly stamps: ReadonlyMap<RawPath, string>;
  /** Number of names in each folder. */
  readonly folders: ReadonlyMap<RawPath, number>;
  /** Files written too recently for reliable stat data. */
  readonly doubted: readonly RawPath[];
};

/** One for each working tree: the next copy needs mostly the same files as the last one. */
const spares = new Map<string, CopyRecord>();

/** Larger copies are always written again, because the check of each file blocks everything else. */
const MAX_COPIED_ENTRIES = 10_000;

/**
 * Copies the files of a snapshot to a separate folder. Uses the folder of the last copy if it is untouched since git
 * wrote it: then only differences between the two snapshots are written.
 */
export async function copySnapshot(copying: CopyRequest): Promise<ThrowAwayCopy> {
  const dir = (await renewed(copying)) ?? (await written(copying));
  const noted = readNote(dir, copying.snapshot);
  return { dir, dispose: async () => (noted !== null && keep(copying.top, noted) ? undefined : removeFolder(dir)) };
}

/** Deletes the spare copy of a working tree that is about to be removed. */
export function releaseCopies(top: string): void {
  const spare = spares.get(top);
  spares.delete(top);
  if (spare !== undefined) rmSync(spare.dir, { recursive: true, force: true });
}

/** Returns false if the copy is not usable as a spare. */
function keep(top: string, noted: CopyRecord): boolean {
  if (spares.has(top) || !isUntouched(noted)) return false;
  removeAtExit(noted.dir);
  spares.set(top, noted);
  return true;
}

async function written({ git, snapshot, index }: CopyRequest): Promise<string> {
  const dir = await makeTemporaryFolder();
  try {
    await exportTree(git, { commit: snapshot, into: dir, paths: "all", index });
    return dir;
  } catch (error) {
    await removeFolder(dir);
    throw error;
  }
}

/** Returns the spare copy with the files of the snapshot; null if no spare is usable. */
async function renewed(copying: CopyRequest): Promise<string | null> {
  const spare = spares.get(copying.top);
  if (spare === undefined) return null;
  spares.delete(copying.top);
  const isRenewed = await renew(spare, copying).catch(() => false); // on any error, a new copy is written
  if (isRenewed) return spare.dir;
  await removeFolder(spare.dir);
  return null;
}

async function renew(spare: CopyRecord, { git, objects, snapshot, index }: CopyRequest): Promise<boolean> {
  const { dir } = spare;
  if (!isUntouched(spare)) return false; // an unrelated program may have touched it
  const changes = await listChanges(objects, { from: spare.snapshot, to: snapshot });
  if (changes === null || changes.some(({ path }) => isOfRules(path))) return false;
  const changed = new Set(changes.map(({ path }) => path));
  const doubted = spare.doubted.map(decodeRawPath).filter((path) => !changed.has(path));
  const stale = index === null ? doubted : differingFrom(index, dir, doubted);
  for (const path of [...changed, ...stale]) removeFrom(dir, path);
  const gone = new Set(changes.filter(({ change }) => change === "deleted").map(({ path }) => path));
  const paths = [...changed, ...stale].filter((path) => !gone.has(path));
  if (paths.length > 0) await exportTree(git, { commit: snapshot, into: dir, paths, index });
  return true;
}

/** Returns true for a file that tells git how to write other files. */
const isOfRules = (path: string): boolean => basename(path).toLowerCase() === ".gitattributes";

/** Removes a file, and the folders that become empty, because git has no empty folders. */
function removeFrom(dir: string, path: string): void {
  rmSync(inTree(dir, path), { force: true });
  try {
    for (let at = dirname(path); at !== "."; at = dirname(at)) rmdirSync(inTree(dir, at));
  } catch {
    return; // the folder is not empty
  }
}

/** Returns null for a large copy, or if file times are coarse. */
function readNote(dir: string, snapshot: string): CopyRecord | null {
  const entries = entriesBelow(dir, { most: MAX_COPIED_ENTRIES });
  const files = entries?.filter(({ stats }) => !stats.isDirectory()) ?? [];
  if (entries === null || files.every(({ stats }) => Number.isInteger(stats.ctimeMs))) return null;
  const youngest = files.reduce((latest, { stats }) => Math.max(latest, stats.ctimeMs), 0);
  const folders = new Map<RawPath, number>([["", 0]]);
  for (const { path, stats } of entries) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
    if (stats.isDirectory() && !folders.has(path)) folders.set(path, 0);
  }
  return {
    dir,
    snapshot,
    stamps: new Map(entries.map(({ path, stats }) => [path, entryStamp(stats)])),
    folders,
    doubted: files.filter(({ stats }) => stats.ctimeMs + CLOCK_TICK >= youngest).map(({ path }) => path),
  };
}

function isUntouched({ dir, stamps, folders }: CopyRecord): boolean {
  try {
    return (
      [...folders].every(([folder, count]) => readdirSync(rawInTree(dir, folder)).length === count) &&
      [...stamps].every(([path, stamp]) => stampAt(dir, path) === stamp)
    );
  } catch {
    return false; // missing or no permission
  }
}

const stampAt = (dir: string, path: RawPath): string => entryStamp(lstatSync(rawInTree(dir, path)));

const decodeRawPath = (path: RawPath): string => decodePath(Buffer.from(path, "latin1"));
