import { constants, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { encodePath, inTree, isUnder, type RawPath, rawInTree } from "../process/git-path.ts";
import { CLOCK_TICK, type FileClock, fileClock } from "./file-clock.ts";
import { entriesIn, OnlyForGit, pathIn } from "./folder-stamps.ts";

/** Stat data of every file of a tree at one moment. */
export type TreeStamps = {
  /** In the order of the scan. */
  readonly names: readonly RawPath[];
  /** Four for each file: inode, size, mode and ctime. */
  readonly numbers: readonly number[];
  /** Milliseconds. If a file's ctime is older, every later change alters its stat data. */
  readonly settledBefore: number;
};

/** Changes between two scans. */
export type TouchedFiles = {
  /** New files, and files with other stat data. */
  readonly files: readonly RawPath[];
  /** Files with the same stat data, but changed too shortly before the earlier scan for that to prove anything. */
  readonly doubted: readonly RawPath[];
  /** True if no other file is deleted, and each listed one is a file or a link. */
  readonly isAll: boolean;
};

/**
 * Reads the stat data of a tree. `folder` belongs to isdlc and is used to read the clock; `include` lists files under
 * `.isdlc` that count.
 */
export type TreeStamper = (folder: string, include: readonly string[]) => TreeStamps | null;

/** Git itself scans more entries faster. */
const MAX_STAMPED_ENTRIES = 1_500;

/**
 * Creates a reader of stat data. A file's ctime cannot be set: a file with the same stat data is unchanged, if that
 * data was settled. Returns null for a tree that only git should interpret: a large one, one with repositories or
 * other file systems inside, or with coarse times.
 */
export function createTreeStamper(top: string): TreeStamper {
  let isLarge = false;
  return (folder, include) => {
    if (isLarge) return null;
    try {
      const clock = fileClock(folder); // before the first file is read
      const files = filesBelow(top, include);
      isLarge = files === "tooMany";
      return files === "tooMany" || clock.isCoarse ? null : stampTree(top, files, clock);
    } catch {
      return null; // removed in the meantime, no permission, or only for git
    }
  };
}

export function touchedSince(before: TreeStamps, now: TreeStamps): TouchedFiles {
  const earlier = new Map(before.names.map((name, at) => [name, at * NUMBERS]));
  const files: RawPath[] = [];
  const doubted: RawPath[] = [];
  const odd: RawPath[] = [];
  now.names.forEach((name, which) => {
    const at = which * NUMBERS;
    const was = earlier.get(name);
    earlier.delete(name);
    if (was === undefined || !isSameStamp([before.numbers, was], [now.numbers, at])) files.push(name);
    else if ((now.numbers[at + CHANGED] ?? 0) >= before.settledBefore) doubted.push(name);
    else return;
    if (!isFileOrLink(now.numbers[at + MODE] ?? 0)) odd.push(name);
  });
  return { files, doubted, isAll: odd.length + earlier.size === 0 };
}

type StampAt = readonly [numbers: readonly number[], at: number];

function isSameStamp([before, was]: StampAt, [now, at]: StampAt): boolean {
  for (let number = 0; number < NUMBERS; number++) if (before[was + number] !== now[at + number]) return false;
  return true;
}

const isFileOrLink = (mode: number): boolean =>
  [constants.S_IFREG, constants.S_IFLNK].includes(mode & constants.S_IFMT);

/** Numbers per file, and the positions of mode and ctime. */
const NUMBERS = 4;
const MODE = 2;
const CHANGED = 3;

function stampTree(top: string, names: readonly RawPath[], clock: FileClock): TreeStamps {
  const numbers: number[] = [];
  for (const path of names) {
    const stats = lstatSync(rawInTree(top, path));
    const { dev, ino, size, mode, ctimeMs } = stats;
    if (dev !== clock.dev || stats.isDirectory()) throw new OnlyForGit();
    numbers.push(ino, size, mode, ctimeMs);
  }
  return { names, numbers, settledBefore: clock.time - CLOCK_TICK };
}

/** Lists everything except folders and paths that are never scanned. */
function filesBelow(top: string, include: readonly string[]): readonly RawPath[] | "tooMany" {
  const files: RawPath[] = [];
  const left: RawPath[] = ["", ...ownFolders(top, include)];
  let count = 0;
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = entriesIn(top, folder);
    if ((count += entries.length) > MAX_STAMPED_ENTRIES) return "tooMany";
    for (const entry of entries) {
      const path = pathIn(folder, entry.name);
      if (entry.isDirectory()) left.push(path);
      else files.push(path);
    }
  }
  return files;
}

/** Lists the included folders under `.isdlc`. A link on the path is rejected: it would lead out of the working tree. */
function ownFolders(top: string, include: readonly string[]): RawPath[] {
  const own = include.filter((path) => isUnder(path, OWN_FOLDER)).map((path) => path.replace(/\/+$/, ""));
  for (const folder of own)
    for (let at = folder; at !== "."; at = dirname(at))
      if (!lstatSync(inTree(top, at)).isDirectory()) throw new OnlyForGit();
  return own.map((path) => encodePath(path).toString("latin1"));
}
