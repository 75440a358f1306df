import { type Dirent, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, posix } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type RawPath, rawInTree } from "../../../src/adapters/git/process/git-path.ts";
import { CLOCK_TICK, type FileClock, fileClock } from "../../../src/adapters/git/snapshot/file-clock.ts";
import { entriesBelow, entryStamp } from "../../../src/adapters/git/snapshot/written-entries.ts";
import { OWN_FOLDER } from "../../../src/core/own-folder.ts";

/** Files as git wrote them, and what git knew of them then. */
export type SpareTree = {
  readonly index: Buffer;
  readonly files: Stamps;
  /** By which git told how they were to be written. */
  readonly rules: string;
};

/** How each file or folder stands, by its path. */
type Stamps = ReadonlyMap<RawPath, string>;

type SpareRecord = SpareTree & { readonly repository: string; readonly folders: Stamps };

type StoredSpare = SpareRecord & { readonly place: string };

export type WrittenTree = {
  /** Whose files they are: those of another one have nothing in common. */
  readonly repository: string;
  /** Of git, which wrote all files there that are not of the spare tree. */
  readonly index: Buffer;
  readonly spare: SpareTree | null;
};

/**
 * The working trees of drives that ended, for the next ones: to write every file again takes longer than all else that
 * a drive does to its tree. Of such a tree only those files are used to which nothing was done since git wrote them, in
 * folders to which nothing was done either, and nothing at its top or of its `.git`. The time of the last change of state
 * of a file or folder cannot be set, so that it tells.
 */
export type SpareTrees = {
  /** Puts a spare tree of the repository where a new one is to be. Null where there is none. */
  take(repository: string, root: string): SpareTree | null;
  /** Notes how the files stand, before anything but git was started there. False where they are not as git would write them now. */
  note(root: string, written: WrittenTree): Promise<boolean>;
  /** Keeps a tree that was noted, once nothing is at work in it. One that cannot be kept stays to be removed. */
  keep(root: string): void;
  /** Removes a tree. */
  remove(root: string): void;
};

/** At once: what a worker drives at a time, and a little more. */
const MAX_TREES = 4;
/** Larger ones are written anew: the worker does nothing else while it looks at each file. */
const MAX_ENTRIES = 10_000;
/** At the top of a tree, and no part of what is kept. */
const OURS: ReadonlySet<string> = new Set([".git", OWN_FOLDER]);

export function createSpareTrees(data: string): SpareTrees {
  const folder = join(data, "trees", "spare");
  const noted = new Map<string, SpareRecord>();
  const spare: StoredSpare[] = [];
  let count = 0;
  const remove = (root: string): void => {
    noted.delete(root);
    rmSync(root, { recursive: true, force: true });
  };
  return {
    remove,
    take(repository, root) {
      const at = spare.findLastIndex((one) => one.repository === repository);
      const [tree] = at === -1 ? [] : spare.splice(at, 1);
      if (tree === undefined) return null;
      const isPlaced = worked(() => {
        dropTouched(tree);
        moveFolders(tree.place, root);
      });
      discard(tree.place);
      if (isPlaced) return tree;
      remove(root);
      return null;
    },
    async note(root, { repository, index, spare: before }) {
      mkdirSync(folder, { recursive: true });
      await delay(2 * CLOCK_TICK);
      const now = stampFiles(root, fileClock(folder));
      if (now === null) return before === null;
      const rules = rulesIn(now.files);
      if (before !== null && before.rules !== rules) return false;
      noted.set(root, { repository, index, rules, files: now.settled, folders: now.folders });
      return true;
    },
    keep(root) {
      const tree = noted.get(root);
      if (tree === undefined) return;
      noted.delete(root);
      const place = join(folder, String(++count));
      const isKept = worked(() => {
        for (const name of OURS) rmSync(join(root, name), { recursive: true, force: true });
        renameSync(root, place);
      });
      if (isKept) spare.push({ ...tree, place });
      for (const old of spare.splice(0, spare.length - MAX_TREES)) discard(old.place);
    },
  };
}

/** What an agent left in a tree, such as a folder that nobody may read, must trouble no other drive. */
function worked(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

const discard = (place: string): boolean => worked(() => rmSync(place, { recursive: true, force: true }));

/** Removes whatever is not exactly as it was noted; a folder with all that is in it. */
function dropTouched({ place, files, folders }: StoredSpare): void {
  const { dev } = lstatSync(place);
  const holding = new Set<RawPath>();
  for (const { path, stats } of entriesBelow(place, { without: OURS }) ?? []) {
    const isKept = stats.isDirectory()
      ? holding.has(path) && entryStamp(stats) === folders.get(path)
      : stats.dev === dev && entryStamp(stats) === files.get(path);
    if (isKept) holding.add(posix.dirname(path));
    else rmSync(rawInTree(place, path), { recursive: true, force: true });
  }
}

/** The folders at the top of one tree become those of a new one, which has nothing else of it. */
function moveFolders(from: string, root: string): void {
  mkdirSync(root, { recursive: true });
  for (const { name } of readdirSync(from, { withFileTypes: true, encoding: "latin1" }).filter(isFolderOfTree))
    renameSync(rawInTree(from, name), rawInTree(root, name));
}

const isFolderOfTree = (entry: Dirent): boolean => entry.isDirectory() && !OURS.has(entry.name);

/** Null for a large tree, and where times are told in coarse steps. */
function stampFiles(root: string, clock: FileClock) {
  const files = new Map<RawPath, string>();
  /** Those to which nothing can be done from now on without another stamp. */
  const settled = new Map<RawPath, string>();
  const folders = new Map<RawPath, string>();
  const entries = entriesBelow(root, { without: OURS, most: MAX_ENTRIES });
  if (clock.isCoarse || entries === null) return null;
  for (const { path, stats } of entries) {
    const isSettled = stats.ctimeMs + CLOCK_TICK < clock.time;
    if (!stats.isDirectory()) files.set(path, entryStamp(stats));
    else if (isSettled) folders.set(path, entryStamp(stats));
    if (stats.isFile() && isSettled) settled.set(path, entryStamp(stats));
  }
  return { files, settled, folders };
}

/** Another text once a file is another by which git tells how others are to be written. */
const rulesIn = (files: Stamps): string =>
  [...files]
    .filter(([path]) => posix.basename(path) === ".gitattributes")
    .map((file) => file.join("\0"))
    .toSorted()
    .join("\n");
