import { constants, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { encodePath, inTree, isUnder, type RawPath, rawInTree } from "../process/git-path.ts";
import { CLOCK_TICK, type FileClock, fileClock } from "./file-clock.ts";
import { entriesIn, OnlyForGit, pathIn } from "./walked-folder.ts";

/** How every file of a tree stood at one moment. */
export type TreeStamps = {
  /** In the order in which they were come by. */
  readonly names: readonly RawPath[];
  /** Four for each file: its number, size, mode and the time of its last change of any kind. */
  readonly numbers: readonly number[];
  /** Nothing can be done to a file without another stamp whose last change was before this, in milliseconds. */
  readonly settledBefore: number;
};

/** What happened from one look to the next. */
export type TouchedFiles = {
  /** New files, and those with another stamp. */
  readonly files: readonly RawPath[];
  /** Those with the same stamp that were written so shortly before the earlier look that it proves nothing. */
  readonly doubted: readonly RawPath[];
  /** No other file is gone, and each is a file or a link. */
  readonly isAll: boolean;
};

/** `folder` is one of our own, which tells the time; `include` has what counts though it is our own. */
export type TreeStamper = (folder: string, include: readonly string[]) => TreeStamps | null;

/** More entries than this are looked at faster by git. */
const MAX_ENTRIES = 1_500;

/**
 * The time of a file's last change of state cannot be set, so that a file with the stamp of before, once that was
 * settled, is the file of before. Null for a tree that only git should judge: a large one, one with repositories or other
 * file systems inside, and where times are told in coarse steps.
 */
export function createTreeStamper(top: string): TreeStamper {
  let isLarge = false;
  return (folder, include) => {
    if (isLarge) return null;
    try {
      const clock = fileClock(folder); // before the first file is looked at
      const files = filesBelow(top, include);
      isLarge = files === "tooMany";
      return files === "tooMany" || clock.isCoarse ? null : stampTree(top, files, clock);
    } catch {
      return null; // removed meanwhile, not for us to read, or only for git
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

/** Of each file, and which of them are the mode and the time of the last change. */
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

/** Everything but folders and what is in no look. */
function filesBelow(top: string, include: readonly string[]): readonly RawPath[] | "tooMany" {
  const files: RawPath[] = [];
  const left: RawPath[] = ["", ...ownFolders(top, include)];
  let count = 0;
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = entriesIn(top, folder);
    if ((count += entries.length) > MAX_ENTRIES) return "tooMany";
    for (const entry of entries) {
      const path = pathIn(folder, entry.name);
      if (entry.isDirectory()) left.push(path);
      else files.push(path);
    }
  }
  return files;
}

/** Of our own folder only what is included. A link on the way there would lead out of the tree. */
function ownFolders(top: string, include: readonly string[]): RawPath[] {
  const own = include.filter((path) => isUnder(path, OWN_FOLDER)).map((path) => path.replace(/\/+$/, ""));
  for (const folder of own)
    for (let at = folder; at !== "."; at = dirname(at))
      if (!lstatSync(inTree(top, at)).isDirectory()) throw new OnlyForGit();
  return own.map((path) => encodePath(path).toString("latin1"));
}
