import { lstatSync, type Dirent, readdirSync } from "node:fs";
import { createTimeSlice } from "../../files/time-slice.ts";
import type { GitFolder } from "../process/git.ts";
import { decodePath, type RawPath, rawInTree } from "../process/git-path.ts";
import { CLOCK_TICK, type FileClock, folderClock } from "./file-clock.ts";
import { findIgnored, rulesOfLook } from "./ignored.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import { OWN_FOLDER } from "../../../core/own-folder.ts";

/** Stat data of every folder in which a new file would count. Folders ignored as a whole are omitted. */
export type FolderStamps = ReadonlyMap<RawPath, FolderStamp>;

type FolderStamp = {
  /** Inode and ctime, which changes with every change, including names in the folder. */
  readonly stamp: string;
  /** The file with ignore rules in the folder; `rules` is its stat data. */
  readonly rulesAt: RawPath | null;
  readonly rules: RuleStamp | null;
  /** True if every later change alters the stat data. */
  readonly isSettled: boolean;
  /** Subfolders, without ignored ones. */
  readonly folders: readonly RawPath[];
};

type RuleStamp = { readonly stamp: string; readonly changedAt: number };

export type StampedFolders = {
  readonly stamps: FolderStamps;
  /** True if no name was added or removed and no rule changed since the earlier stat data. */
  readonly isUntouched: boolean;
};

/** Reads the stat data of folders. Once a tree needs git, the result for it is always null. */
export type FolderStamper = (look: FolderLook) => Promise<StampedFolders | null>;

export type FolderLook = {
  /** A folder of isdlc, to read the clock of its file system. */
  readonly folder: string;
  readonly environment: IndexEnvironment;
  readonly earlier: FolderStamps | null;
};

/** Git itself scans more folders faster. */
const MAX_STAMPED_FOLDERS = 20_000;

/**
 * Creates a reader of folders' stat data, to rule out new files. The ctime of a folder cannot be set, and changes with
 * every name that is added, removed or renamed. While all folders have the stat data from before git found no new
 * file, there is no new file. Changes of file content are not visible here.
 * Returns null for a tree that only git should interpret: with repositories or other file systems inside, with folders
 * whose time does not show changed names, or with coarse times.
 */
export function createFolderStamper(tree: GitFolder): FolderStamper {
  let isOnlyForGit = process.platform === "win32";
  return async (look) => {
    if (isOnlyForGit) return null;
    try {
      const clock = folderClock(look.folder); // before the first folder is read
      if (clock?.isCoarse === true) throw new OnlyForGit();
      return clock && (await walked(tree, look, clock));
    } catch (error) {
      isOnlyForGit = error instanceof OnlyForGit;
      return null; // or removed in the meantime, or no permission
    }
  };
}

async function walked(tree: GitFolder, look: FolderLook, clock: FileClock): Promise<StampedFolders> {
  const rules = rulesOfLook(tree, look.environment);
  const ignored = (paths: readonly string[]) => findIgnored(rules, paths);
  try {
    const walk = { top: tree.top, ignored, clock };
    const found = look.earlier && (await walkedOn(walk, look.earlier));
    return found ?? { stamps: (await walkedOn(walk, NONE))?.stamps ?? NONE, isUntouched: false };
  } finally {
    rules.end();
  }
}

const NONE: FolderStamps = new Map();

type StampWalk = {
  readonly top: string;
  readonly ignored: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly clock: FileClock;
};

/**
 * Scans from the top down and reads only changed folders. Returns null if rules changed, because other folders may
 * count then.
 */
async function walkedOn(walk: StampWalk, earlier: FolderStamps): Promise<StampedFolders | null> {
  const slice = createTimeSlice();
  const stamps = new Map<RawPath, FolderStamp>();
  let isUntouched = earlier.size > 0;
  for (let level: readonly RawPath[] = [""]; level.length > 0;) {
    const read: (readonly [RawPath, FolderStamp])[] = [];
    for (const path of level) {
      const before = earlier.get(path);
      const now = stampFolder(walk, path, before);
      if (now === null) return null;
      if (now !== before) read.push([path, now]);
      stamps.set(path, now);
      if (slice.isOver()) await slice.next();
    }
    if (stamps.size > MAX_STAMPED_FOLDERS) throw new OnlyForGit();
    isUntouched &&= read.length === 0;
    for (const [path, folder] of await withoutIgnored(walk, earlier, read)) stamps.set(path, folder);
    level = level.flatMap((path) => stamps.get(path)?.folders ?? []);
  }
  return { stamps, isUntouched };
}

/** Returns the earlier stat data while it is valid; null if the rules in the folder may have changed. */
function stampFolder({ top, clock }: StampWalk, path: RawPath, before: FolderStamp | undefined): FolderStamp | null {
  const stats = lstatSync(rawInTree(top, path));
  if (stats.dev !== clock.dev) throw new OnlyForGit();
  const stamp = `${stats.ino}:${stats.ctimeMs}`;
  const same = before !== undefined && before.isSettled && before.stamp === stamp ? before : null;
  const { rulesAt, folders } = same ?? listContent(top, path);
  const rules = rulesAt === null ? null : rulesIn(top, rulesAt);
  if (before !== undefined && !hasSameRules(before, rules)) return null;
  const youngest = Math.max(stats.ctimeMs, rules?.changedAt ?? 0);
  return same ?? { stamp, rulesAt, rules, isSettled: youngest + CLOCK_TICK < clock.time, folders };
}

function rulesIn(top: string, path: RawPath): RuleStamp {
  const stats = lstatSync(rawInTree(top, path));
  if (!stats.isFile()) throw new OnlyForGit();
  return { stamp: `${stats.ino}:${stats.size}:${stats.ctimeMs}`, changedAt: stats.ctimeMs };
}

const hasSameRules = (before: FolderStamp, rules: RuleStamp | null): boolean =>
  before.rules?.stamp === rules?.stamp && (rules === null || before.isSettled);

const RULES = ".gitignore";

function listContent(top: string, folder: RawPath) {
  const entries = entriesIn(top, folder);
  const rules = entries.find(({ name }) => name === RULES) ?? entries.find(({ name }) => name.toLowerCase() === RULES);
  const folders = entries.filter((entry) => entry.isDirectory() || isFolder(top, pathIn(folder, entry.name)));
  return {
    rulesAt: rules === undefined ? null : pathIn(folder, rules.name),
    folders: folders.map(({ name }) => pathIn(folder, name)),
  };
}

/** Checks a non-ASCII name again, because Node may have checked another file. */
function isFolder(top: string, path: RawPath): boolean {
  const place = rawInTree(top, path);
  return typeof place !== "string" && lstatSync(place).isDirectory();
}

/** Removes ignored folders. Asks git only about folders that are new since the earlier scan with the same rules. */
async function withoutIgnored(
  { ignored }: StampWalk,
  earlier: FolderStamps,
  read: readonly (readonly [RawPath, FolderStamp])[],
): Promise<readonly (readonly [RawPath, FolderStamp])[]> {
  const isNew = (path: RawPath): boolean => !earlier.has(path);
  const doubtful = read.flatMap(([, { folders }]) => folders.filter(isNew));
  const left = await ignored(doubtful.map(decodeRawPath));
  return read.map(([path, stamp]) => {
    const folders = stamp.folders.filter((folder) => !isNew(folder) || !left.has(decodeRawPath(folder)));
    return [path, { ...stamp, folders }];
  });
}

const decodeRawPath = (path: RawPath): string => decodePath(Buffer.from(path, "latin1"));

const GIT = ".git";
/** Skipped at the top only. */
const NOT_OF_THE_TREE: ReadonlySet<string> = new Set([GIT, OWN_FOLDER]);

/** Thrown for content that only git should interpret. */
export class OnlyForGit extends Error {}

export const pathIn = (folder: RawPath, name: string): RawPath => (folder === "" ? name : `${folder}/${name}`);

/**
 * Lists a folder of the tree, with names as bytes in latin1; at the top without `.git` and `.isdlc`. If the system
 * does not report the type of an entry, Node asks for it by its name as text, which may name another file: callers
 * must check non-ASCII names themselves.
 * @throws OnlyForGit if the folder has a `.git`.
 */
export function entriesIn(top: string, folder: RawPath): Dirent[] {
  const place = rawInTree(top, folder);
  if (typeof place !== "string" && !lstatSync(place).isDirectory()) throw new OnlyForGit();
  const entries = readdirSync(place, { withFileTypes: true, encoding: "latin1" });
  const ofTree = folder === "" ? entries.filter(({ name }) => !NOT_OF_THE_TREE.has(name)) : entries;
  if (ofTree.some(({ name }) => name.length === GIT.length && name.toLowerCase() === GIT)) throw new OnlyForGit();
  return ofTree;
}
