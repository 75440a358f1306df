import { type Dirent, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, posix } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type RawPath, rawInTree } from "../../../src/adapters/git/process/git-path.ts";
import { CLOCK_TICK, type FileClock, fileClock } from "../../../src/adapters/git/snapshot/file-clock.ts";
import { entriesBelow, entryStamp } from "../../../src/adapters/git/snapshot/written-entries.ts";
import { OWN_FOLDER } from "../../../src/core/own-folder.ts";

/** Files written by git, with their entries in the index at that time. */
export type SpareTree = {
  readonly index: Buffer;
  readonly files: Stamps;
  /** Fingerprint of the `.gitattributes` files in effect when the files were written. */
  readonly rules: string;
};

/** Stat data of files or folders by path. */
type Stamps = ReadonlyMap<RawPath, string>;

type SpareRecord = SpareTree & { readonly repository: string; readonly folders: Stamps };

type StoredSpare = SpareRecord & { readonly place: string };

export type WrittenTree = {
  /** Repository of the files. Trees of different repositories share none. */
  readonly repository: string;
  /** Git index. Git wrote all files in it, except those reused from the spare tree. */
  readonly index: Buffer;
  readonly spare: SpareTree | null;
};

/**
 * Working trees of ended drives, reused by the next ones: writing every file again takes longer than all other work on
 * a tree. Only files unchanged since git wrote them are reused, in unchanged folders; files at the top and `.git`
 * never are. Changes are detected by ctime, which programs cannot set.
 */
export type SpareTrees = {
  /** Moves a spare tree of the repository to the root of a new one. Null if there is none. */
  take(repository: string, root: string): SpareTree | null;
  /**
   * Records the stat data of the files. Must run before any program other than git runs there. Returns false if git
   * would now write the files differently.
   */
  note(root: string, written: WrittenTree): Promise<boolean>;
  /** Keeps a recorded tree as a spare. No process may be running in it. If that fails, the tree must be removed. */
  keep(root: string): void;
  /** Removes a tree. */
  remove(root: string): void;
};

/** Maximum number of spare trees: slightly more than the concurrent drives of a worker. */
const MAX_TREES = 4;
/** Larger trees are written again: checking every file blocks the worker. */
const MAX_SPARE_ENTRIES = 10_000;
/** Top-level folders that are never reused. */
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

/** Returns false on errors. Leftovers of an agent, such as unreadable folders, must not affect other drives. */
function worked(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

const discard = (place: string): boolean => worked(() => rmSync(place, { recursive: true, force: true }));

/** Removes everything that differs from its recorded stat data. Folders are removed with their content. */
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

/** Moves the top-level folders of one tree to an otherwise empty one. */
function moveFolders(from: string, root: string): void {
  mkdirSync(root, { recursive: true });
  for (const { name } of readdirSync(from, { withFileTypes: true, encoding: "latin1" }).filter(isFolderOfTree))
    renameSync(rawInTree(from, name), rawInTree(root, name));
}

const isFolderOfTree = (entry: Dirent): boolean => entry.isDirectory() && !OURS.has(entry.name);

/** Returns null for a large tree, or if file times are coarse. */
function stampFiles(root: string, clock: FileClock) {
  const files = new Map<RawPath, string>();
  /** Files old enough for any later change to get different stat data. */
  const settled = new Map<RawPath, string>();
  const folders = new Map<RawPath, string>();
  const entries = entriesBelow(root, { without: OURS, most: MAX_SPARE_ENTRIES });
  if (clock.isCoarse || entries === null) return null;
  for (const { path, stats } of entries) {
    const isSettled = stats.ctimeMs + CLOCK_TICK < clock.time;
    if (!stats.isDirectory()) files.set(path, entryStamp(stats));
    else if (isSettled) folders.set(path, entryStamp(stats));
    if (stats.isFile() && isSettled) settled.set(path, entryStamp(stats));
  }
  return { files, settled, folders };
}

/** Fingerprint of all `.gitattributes` files. */
const rulesIn = (files: Stamps): string =>
  [...files]
    .filter(([path]) => posix.basename(path) === ".gitattributes")
    .map((file) => file.join("\0"))
    .toSorted()
    .join("\n");
