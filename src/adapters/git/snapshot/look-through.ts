import { lstatSync, type Stats, type Dirent } from "node:fs";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { createTimeSlice } from "../../files/time-slice.ts";
import { must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, encodePath, inTree, isUnder, joinFields, isTreePath, splitFields } from "../process/git-path.ts";
import { differingFrom } from "./doubted-files.ts";
import { listChanges, listModified } from "./list-changes.ts";
import type { Repository } from "../read/repository.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import { lstat, readdir } from "node:fs/promises";
import { type EntryGlance, readFromIndex } from "../objects/git-index.ts";
import { isOutsideTrees, rememberedTree } from "../objects/tree-of-index.ts";

export type IndexReview = {
  readonly repository: Repository;
  readonly environment: IndexEnvironment;
  /** Files and folders that count even if they are ignored or under `.isdlc`. */
  readonly include: readonly string[];
  /** Milliseconds. Files touched since then are read, regardless of the index. Null trusts the index. */
  readonly distrust: number | null;
  /** True if the index is unchanged since an earlier scan: nothing in it hides a file. */
  readonly isOurs: boolean;
  /** True if no file is new. */
  readonly isNothingNew: boolean;
};

export type Differences = {
  /** Files that differ from the index, including deleted ones. */
  readonly files: readonly string[];
  /** Repositories inside the tree that are not in the index. */
  readonly repositories: readonly string[];
  /** New files and repositories, which were never tracked. */
  readonly added: readonly string[];
  /** True if entries may be missing in the working tree because of a sparse checkout. */
  readonly isSparse: boolean;
  /** Tree of the index if it became known, else null. */
  readonly tree: string | null;
};

/**
 * Finds everything in the working tree that an index lacks. `.isdlc` counts only if included, and is removed from the
 * index.
 */
export async function lookThrough(git: Git, looking: IndexReview): Promise<Differences> {
  const { repository, environment, include } = looking;
  const list = looking.isNothingNew ? listModified : listChanges;
  const [first, { entries, tree, isSparse, hasChanged }] = await Promise.all([
    list(git, environment),
    revealEntries(git, looking),
  ]);
  const isOfTree = (path: string): boolean => !isUnder(path, OWN_FOLDER) || isIncluded(path, include);
  const listed = hasChanged ? await list(git, environment) : first;
  const added = listed.added.filter(isOfTree);
  const changed = [...added, ...listed.modified.filter(isOfTree)];
  const differing = new Set(changed);
  const tracked = trackedBelow(entries, include);
  const touched = (await touchedSince(looking, entries)).filter((path) => !differing.has(path));
  const doubted = differingFrom(environment, repository.top, touched);
  await forget(git, environment, doubted);
  const included = await includedFiles(repository.top, include);
  const missing = included.filter((path) => !tracked.has(path) && !differing.has(path));
  return {
    files: [...changed.filter((path) => !path.endsWith("/")), ...missing, ...doubted],
    repositories: changed.filter((path) => path.endsWith("/")),
    added,
    isSparse,
    tree,
  };
}

const entriesFor = async (git: Git, looking: IndexReview): Promise<IndexEntries> =>
  looking.isOurs && looking.include.length === 0
    ? { entries: [], tree: null }
    : indexEntries(git, looking.environment, neededBy(looking));

const isIncluded = (path: string, include: readonly string[]): boolean =>
  include.some((folder) => isUnder(path, folder));

/** Selects the entries to check here. For all others, git's comparison with the index is enough. */
function neededBy({ include, distrust, isOurs }: IndexReview): (file: KnownFile) => boolean {
  const isBelow = belowAny(isOurs ? include : [OWN_FOLDER, ...include]);
  return (file) => file.isAssumed || file.isSkipped || isBelow(file) || isDoubted(file, distrust);
}

function belowAny(folders: readonly string[]): (file: KnownFile) => boolean {
  const names = folders.map((path) => encodePath(path.replace(/\/+$/, "")).toString("latin1"));
  return ({ name }) => names.some((folder) => name.startsWith(folder) && isUnder(name, folder));
}

const trackedBelow = (entries: readonly KnownFile[], include: readonly string[]): ReadonlySet<string> =>
  new Set(entries.filter(belowAny(include)).map(decodeEntryPath));

const nameBytes = ({ name }: KnownFile): Buffer => Buffer.from(name, "latin1");
const decodeEntryPath = (entry: KnownFile): string => decodePath(nameBytes(entry));

/**
 * Returns true if the file may have been touched since that time. The ctime of a file cannot be set, and git lists
 * every file with a ctime other than in the index. Of all others, only files with a recent ctime in the index itself
 * may have been touched.
 */
const isDoubted = ({ recordedAt }: KnownFile, since: number | null): boolean =>
  since !== null && (recordedAt === null || recordedAt >= Math.floor(since / 1000));

/** Lists files touched since `distrust`, in addition to those listed by git. */
async function touchedSince({ repository, distrust }: IndexReview, entries: readonly KnownFile[]): Promise<string[]> {
  if (distrust === null) return [];
  const slice = createTimeSlice();
  const touched: string[] = [];
  for (const entry of entries) {
    const stats = isDoubted(entry, distrust) ? readStats(repository.top, entry) : null; // git lists deleted files
    if (stats !== null && !stats.isDirectory() && stats.ctimeMs >= distrust) touched.push(decodeEntryPath(entry));
    if (slice.isOver()) await slice.next();
  }
  return touched;
}

/** Removes these files from the index: git would not read files that it considers unchanged. */
async function forget(git: Git, environment: IndexEnvironment, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = joinFields(paths);
  await must(git(["update-index", "--force-remove", "-z", "--stdin"], { environment, input }), "update-index");
}

type RevealedEntries = IndexEntries & {
  readonly isSparse: boolean;
  /** True if any entry was updated. */
  readonly hasChanged: boolean;
};

/**
 * Clears "assume unchanged" marks, and "skip worktree" marks of existing files: both would hide changes. Removes
 * `.isdlc` from the index, except included files.
 */
async function revealEntries(git: Git, looking: IndexReview): Promise<RevealedEntries> {
  const { repository, environment, include } = looking;
  const { entries, tree } = await entriesFor(git, looking);
  const update = async (option: string, chosen: readonly KnownFile[]): Promise<boolean> => {
    if (chosen.length === 0) return false;
    const input = joinFields(chosen.map(decodeEntryPath));
    await must(git(["update-index", option, "-z", "--stdin"], { environment, input }), "update-index");
    return true;
  };
  const assumed = entries.filter(({ isAssumed }) => isAssumed);
  const skipped = entries.filter(({ isSkipped }) => isSkipped);
  const there = skipped.filter((entry) => readStats(repository.top, entry) !== null);
  const own = entries.filter(
    (entry) => isUnder(entry.name, OWN_FOLDER) && !isIncluded(decodeEntryPath(entry), include),
  );
  const changes = [
    await update("--no-assume-unchanged", assumed),
    await update("--no-skip-worktree", there),
    await update("--force-remove", own),
  ];
  const isSparse = skipped.length > 0;
  return { entries, tree: own.length === 0 ? tree : null, isSparse, hasChanged: changes.includes(true) };
}

/** Returns null for a missing or inaccessible file. */
function readStats(top: string, entry: KnownFile): Stats | null {
  try {
    return lstatSync(inTree(top, nameBytes(entry)), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

/** Lists every file under the included paths, ignored or not. Links count as files; repositories are omitted. */
async function includedFiles(top: string, include: readonly string[]): Promise<string[]> {
  const paths = include.map((path) => path.replace(/\/+$/, "")).filter(isTreePath);
  const found = await Promise.all(
    paths.map(async (path) => {
      const kind = await lstat(inTree(top, path)).catch(() => null); // no such file
      if (kind?.isDirectory() === true) return filesBelow(top, encodePath(path));
      return kind?.isFile() === true || kind?.isSymbolicLink() === true ? [path] : [];
    }),
  );
  return found.flat();
}

async function filesBelow(top: string, path: Buffer): Promise<string[]> {
  const folder = inTree(top, path);
  const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch(() => []); // no permission
  const named = (entries as unknown as Dirent<Buffer>[]).map((entry) => ({
    entry,
    below: Buffer.concat([path, Buffer.from("/"), entry.name]),
  }));
  if (named.some(({ entry }) => entry.name.toString("latin1").toLowerCase() === ".git")) return [];
  const found = await Promise.all(
    named.map(async ({ entry, below }) => {
      if (entry.isDirectory()) return filesBelow(top, below);
      return entry.isFile() || entry.isSymbolicLink() ? [decodePath(below)] : [];
    }),
  );
  return found.flat();
}

/** Fields of an index entry, without its content. */
type KnownFile = Pick<EntryGlance, "name" | "isAssumed" | "isSkipped" | "recordedAt">;

type IndexEntries = {
  /** Entries accepted by the filter. */
  readonly entries: readonly KnownFile[];
  /** Tree of the index if it is known without writing one, else null. */
  readonly tree: string | null;
};

/** Reads the entries directly if that is faster than asking git. */
export async function indexEntries(
  git: Git,
  environment: IndexEnvironment,
  isWanted: (file: KnownFile) => boolean,
): Promise<IndexEntries> {
  const { GIT_INDEX_FILE: file = "" } = environment;
  const read = readFromIndex(file, (entry) => isWanted(entry) || isOutsideTrees(entry));
  if (read === null) return { entries: (await listedByGit(git, environment)).filter(isWanted), tree: null };
  return { entries: read.entries.filter(isWanted), tree: rememberedTree(read) };
}

async function listedByGit(git: Git, environment: IndexEnvironment): Promise<KnownFile[]> {
  const args = ["ls-files", "-v", "-z", "--cached"];
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return splitFields(output).map((line) => {
    const tag = line.toString("latin1", 0, 1);
    const isAssumed = tag !== tag.toUpperCase();
    return { name: line.toString("latin1", 2), isAssumed, isSkipped: tag.toUpperCase() === "S", recordedAt: null };
  });
}
