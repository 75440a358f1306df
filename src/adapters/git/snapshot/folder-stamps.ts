import { lstatSync } from "node:fs";
import { createTimeSlice } from "../../file-system/time-slice.ts";
import type { GitFolder } from "../process/git.ts";
import { decodePath, type RawPath, rawInTree } from "../process/git-path.ts";
import { CLOCK_TICK, type FileClock, folderClock } from "./file-clock.ts";
import { findIgnored, rulesOfLook } from "./ignored.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import { entriesIn, OnlyForGit, pathIn } from "./walked-folder.ts";

/** How every folder stood in which a new file would count: those that are ignored as a whole are not among them. */
export type FolderStamps = ReadonlyMap<RawPath, FolderStamp>;

type FolderStamp = {
  /** The number of the folder, and the time of the last change of any kind: of a name in it among others. */
  readonly stamp: string;
  /** The file with ignore rules in it, and how that stood. */
  readonly rulesAt: RawPath | null;
  readonly rules: RuleStamp | null;
  /** Nothing can be done from then on without another stamp. */
  readonly isSettled: boolean;
  /** Folders in it, ignored ones not. */
  readonly folders: readonly RawPath[];
};

type RuleStamp = { readonly stamp: string; readonly changedAt: number };

export type StampedFolders = {
  readonly stamps: FolderStamps;
  /** No name came or went and no rule changed since the earlier stamps. */
  readonly isUntouched: boolean;
};

/** What only git should judge stays so: then there are no stamps of this tree any more. */
export type FolderStamper = (look: FolderLook) => Promise<StampedFolders | null>;

export type FolderLook = {
  /** One of our own, which tells the time. */
  readonly folder: string;
  readonly environment: IndexEnvironment;
  readonly earlier: FolderStamps | null;
};

/** More folders than this are looked through faster by git. */
const MAX_FOLDERS = 20_000;

/**
 * The time of a folder's last change cannot be set, and every name that comes, goes or becomes another one's changes it.
 * So as long as all folders stand as they did before git found no new file, there is none. What is in files, this does
 * not tell. Null for a tree that only git should judge: one with repositories or other file systems inside, and where
 * folders do not tell of names, or tell the time in coarse steps.
 */
export function createFolderStamper(tree: GitFolder): FolderStamper {
  let isOnlyForGit = process.platform === "win32";
  return async (look) => {
    if (isOnlyForGit) return null;
    try {
      const clock = folderClock(look.folder); // before the first folder is looked at
      if (clock?.isCoarse === true) throw new OnlyForGit();
      return clock && (await walked(tree, look, clock));
    } catch (error) {
      isOnlyForGit = error instanceof OnlyForGit;
      return null; // or removed meanwhile, or not for us to read
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

type Walk = {
  readonly top: string;
  readonly ignored: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly clock: FileClock;
};

/** From the top down, reading only what is not as it was; null where rules changed, for then other folders may count. */
async function walkedOn(walk: Walk, earlier: FolderStamps): Promise<StampedFolders | null> {
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
    if (stamps.size > MAX_FOLDERS) throw new OnlyForGit();
    isUntouched &&= read.length === 0;
    for (const [path, folder] of await withoutIgnored(walk, earlier, read)) stamps.set(path, folder);
    level = level.flatMap((path) => stamps.get(path)?.folders ?? []);
  }
  return { stamps, isUntouched };
}

/** The earlier one where that still holds; null where the rules in the folder may be others. */
function stampFolder({ top, clock }: Walk, path: RawPath, before: FolderStamp | undefined): FolderStamp | null {
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

/** For names that are not plain, of which Node may have asked for another. */
function isFolder(top: string, path: RawPath): boolean {
  const place = rawInTree(top, path);
  return typeof place !== "string" && lstatSync(place).isDirectory();
}

/** What git was asked about with the same rules before is not asked again. */
async function withoutIgnored(
  { ignored }: Walk,
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
