import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { encodePath, inTree, isUnder, type RawPath, rawInTree } from "../process/git-path.ts";

/** How every file of a tree stood at one moment. */
export type TreeStamps = {
  /** In the order in which they were come by. */
  readonly names: readonly RawPath[];
  /** Four for each file: its number, size, mode and the time of its last change of any kind. */
  readonly numbers: readonly number[];
  /** Nothing can be done to one of the files from then on without another stamp. */
  readonly isSettled: boolean;
};

/** `folder` is one of our own, which tells the time; `include` has what counts though it is our own. */
export type TreeStamper = (folder: string, include: readonly string[]) => TreeStamps | null;

/** More entries than this are looked at faster by git. */
const MOST_ENTRIES = 1_500;

/** Milliseconds; no clock of a file system that tells microseconds stands still for longer. */
const CLOCK_TICK = 20;

/**
 * The time of a file's last change of state cannot be set, so that a tree with the stamps of before, once they were
 * settled, is the tree of before. Null for a tree that only git should judge: a large one, one with repositories or other
 * file systems inside, and where times are told in coarse steps.
 */
export function createTreeStamper(top: string): TreeStamper {
  let isLarge = false;
  return (folder, include) => {
    if (isLarge) return null;
    try {
      const clock = clockOf(folder); // before the first file is looked at
      const files = filesBelow(top, include);
      isLarge = files === "tooMany";
      return files === "tooMany" || Number.isInteger(clock.ctimeMs) ? null : stampsOf(top, files, clock);
    } catch {
      return null; // removed meanwhile, not for us to read, or only for git
    }
  };
}

/** The same files, and nothing was done to any of them since the earlier stamps were taken. */
export const areUntouched = (before: TreeStamps | null, now: TreeStamps | null): boolean =>
  before !== null &&
  now !== null &&
  before.isSettled &&
  isSame(before.names, now.names) &&
  isSame(before.numbers, now.numbers);

const isSame = <T>(one: readonly T[], other: readonly T[]): boolean =>
  one.length === other.length && one.every((value, at) => value === other[at]);

/** What time it is for the file system. */
function clockOf(folder: string): Stats {
  const file = openSync(join(folder, "clock"), constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    futimesSync(file, 0, 0);
    return fstatSync(file);
  } finally {
    closeSync(file);
  }
}

function stampsOf(top: string, names: readonly RawPath[], clock: Stats): TreeStamps {
  const numbers: number[] = [];
  let youngest = 0;
  for (const path of names) {
    const stats = lstatSync(rawInTree(top, path));
    const { dev, ino, size, mode, ctimeMs } = stats;
    if (dev !== clock.dev || stats.isDirectory()) throw onlyForGit();
    numbers.push(ino, size, mode, ctimeMs);
    youngest = Math.max(youngest, ctimeMs);
  }
  return { names, numbers, isSettled: youngest + CLOCK_TICK < clock.ctimeMs };
}

const onlyForGit = (): Error => new Error("a tree that only git should judge");

/** Everything but folders and what is in no look. */
function filesBelow(top: string, include: readonly string[]): readonly RawPath[] | "tooMany" {
  const files: RawPath[] = [];
  const left: RawPath[] = ["", ...ownFolders(top, include)];
  let count = 0;
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = entriesIn(rawInTree(top, folder));
    if ((count += entries.length) > MOST_ENTRIES) return "tooMany";
    for (const entry of entries) {
      const { name } = entry;
      if (folder === "" && NOT_OF_THE_TREE.has(name)) continue;
      if (name.length === GIT.length && name.toLowerCase() === GIT) throw onlyForGit();
      const path = folder === "" ? name : `${folder}/${name}`;
      if (entry.isDirectory()) left.push(path);
      else files.push(path);
    }
  }
  return files;
}

const GIT = ".git";
/** At the top. */
const NOT_OF_THE_TREE: ReadonlySet<string> = new Set([GIT, OWN_FOLDER]);

/** Of our own folder only what is included. A link on the way there would lead out of the tree. */
function ownFolders(top: string, include: readonly string[]): RawPath[] {
  const own = include.filter((path) => isUnder(path, OWN_FOLDER)).map((path) => path.replace(/\/+$/, ""));
  for (const folder of own)
    for (let at = folder; at !== "."; at = dirname(at))
      if (!lstatSync(inTree(top, at)).isDirectory()) throw onlyForGit();
  return own.map((path) => encodePath(path).toString("latin1"));
}

/** Where the system does not tell what an entry is, Node asks for its name as text, which may be that of another. */
function entriesIn(folder: string | Buffer): Dirent[] {
  if (typeof folder !== "string" && !lstatSync(folder).isDirectory()) throw onlyForGit();
  return readdirSync(folder, { withFileTypes: true, encoding: "latin1" });
}
