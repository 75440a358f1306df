import { lstatSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { ThrowAwayCopy } from "../../../ports/workspace.ts";
import { makeTemporaryFolder, removeAtExit, removeFolder } from "../../file-system/temporary-folder.ts";
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
  /** Of the working tree. */
  readonly top: string;
  readonly git: Git;
  readonly objects: GitObjects;
  readonly snapshot: string;
  /** An index with just the files of the snapshot, where there is one. */
  readonly index: IndexEnvironment | null;
};

/** A copy as git wrote it. */
type CopyRecord = {
  readonly dir: string;
  readonly snapshot: string;
  /** How each file and folder stood, by its path. */
  readonly stamps: ReadonlyMap<RawPath, string>;
  /** How many names each folder held. */
  readonly folders: ReadonlyMap<RawPath, number>;
  /** Files that were written so shortly before that their stamps prove nothing. */
  readonly doubted: readonly RawPath[];
};

/** One for each working tree: what was written for the last copy is mostly what the next one needs. */
const spares = new Map<string, CopyRecord>();

/** Larger ones are written anew: nothing else is done while each file is looked at. */
const MAX_ENTRIES = 10_000;

/**
 * The files of a snapshot in a folder of their own. It is that of the copy before, if nothing in it was touched since
 * git wrote it: then only what differs between the two snapshots is written.
 */
export async function copySnapshot(copying: CopyRequest): Promise<ThrowAwayCopy> {
  const dir = (await renewed(copying)) ?? (await written(copying));
  const noted = readNote(dir, copying.snapshot);
  return { dir, dispose: async () => (noted !== null && keep(copying.top, noted) ? undefined : removeFolder(dir)) };
}

/** For a working tree that is about to be removed. */
export function releaseCopies(top: string): void {
  const spare = spares.get(top);
  spares.delete(top);
  if (spare !== undefined) rmSync(spare.dir, { recursive: true, force: true });
}

/** False for one that is of no use. */
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

/** The spare copy with the files of the snapshot; null where there is none that can be used. */
async function renewed(copying: CopyRequest): Promise<string | null> {
  const spare = spares.get(copying.top);
  if (spare === undefined) return null;
  spares.delete(copying.top);
  const isRenewed = await renew(spare, copying).catch(() => false); // whatever is in the way: a new one has nothing of it
  if (isRenewed) return spare.dir;
  await removeFolder(spare.dir);
  return null;
}

async function renew(spare: CopyRecord, { git, objects, snapshot, index }: CopyRequest): Promise<boolean> {
  const { dir } = spare;
  if (!isUntouched(spare)) return false; // also by those who had nothing to do there
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

/** By which git tells how other files are written. */
const isOfRules = (path: string): boolean => basename(path).toLowerCase() === ".gitattributes";

/** With the folders that hold nothing else: git has none of these. */
function removeFrom(dir: string, path: string): void {
  rmSync(inTree(dir, path), { force: true });
  try {
    for (let at = dirname(path); at !== "."; at = dirname(at)) rmdirSync(inTree(dir, at));
  } catch {
    return; // something else is in it
  }
}

/** Null for a large copy, and where times are told in coarse steps. */
function readNote(dir: string, snapshot: string): CopyRecord | null {
  const entries = entriesBelow(dir, { most: MAX_ENTRIES });
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
    return false; // not there any more, or not for us to read
  }
}

const stampAt = (dir: string, path: RawPath): string => entryStamp(lstatSync(rawInTree(dir, path)));

const decodeRawPath = (path: RawPath): string => decodePath(Buffer.from(path, "latin1"));
