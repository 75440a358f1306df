import { lstatSync, type Stats } from "node:fs";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { createTimeSlice } from "../../file-system/time-slice.ts";
import { must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, encodePath, inTree, isUnder, joinFields, splitFields } from "../process/git-path.ts";
import { differingFrom } from "./doubted-files.ts";
import { includedFiles } from "./included-files.ts";
import type { Repository } from "../read/repository.ts";
import { changedFiles } from "./temporary-index.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

export type Looking = {
  readonly repository: Repository;
  readonly environment: IndexEnvironment;
  /** Files and folders that count though they are ignored, or our own. */
  readonly include: readonly string[];
  /** Files touched since then (milliseconds) are read, whatever the index says about them; null: it is believed. */
  readonly distrust: number | null;
};

export type Differences = {
  /** Files that the index does not have as they are; vanished ones too. */
  readonly files: readonly string[];
  /** Repositories inside the tree that the index does not have. */
  readonly repositories: readonly string[];
  /** Those that were never under version control. */
  readonly added: readonly string[];
  /** Some entries need not be in the tree: a sparse checkout may leave them out. */
  readonly isSparse: boolean;
};

/** One entry of the index: the letter that git gives it, and its path. */
type IndexEntry = { readonly tag: string; readonly bytes: Buffer };

/** What of the working tree an index does not have. Our own folder counts only where included, and leaves the index. */
export async function lookThrough(git: Git, looking: Looking): Promise<Differences> {
  const { repository, environment, include } = looking;
  const found = await listEntries(git, environment);
  const revealed = await revealEntries(git, looking, found.entries);
  const all = revealed.isHiding ? await changedFiles(git, environment) : found.changed;
  const changed = all.filter((path) => !isUnder(path, OWN_FOLDER) || isIncluded(path, include));
  const differing = new Set(changed);
  const tracked = trackedBelow(found.entries, include);
  const touched = (await touchedSince(looking, found.entries)).filter((path) => !differing.has(path));
  const doubted = differingFrom(environment, repository.top, touched);
  await forget(git, environment, doubted);
  const included = await includedFiles(repository.top, include);
  const missing = included.filter((path) => !tracked.has(path) && !differing.has(path));
  return {
    files: [...changed.filter((path) => !path.endsWith("/")), ...missing, ...doubted],
    repositories: changed.filter((path) => path.endsWith("/")),
    added: found.added,
    isSparse: revealed.isSparse,
  };
}

const isIncluded = (path: string, include: readonly string[]): boolean =>
  include.some((folder) => isUnder(path, folder));

/** The whole index, and what differs from it, in one go. Entries come as they are, differences as `C` and `?`. */
async function listEntries(git: Git, environment: IndexEnvironment) {
  const args = ["ls-files", "-v", "-z", "--cached", "--modified", "--others", "--exclude-standard"];
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  const lines = splitFields(output).map((field) => ({
    tag: field.toString("latin1", 0, 1),
    bytes: field.subarray(2),
  }));
  const isAdded = ({ tag }: IndexEntry): boolean => tag === "?";
  const isChanged = ({ tag }: IndexEntry): boolean => tag.toUpperCase() === "C";
  const pathsOf = (chosen: readonly IndexEntry[]): string[] => [
    ...new Set(chosen.map(({ bytes }) => decodePath(bytes))),
  ];
  const added = pathsOf(lines.filter(isAdded));
  return {
    entries: lines.filter((line) => !isAdded(line) && !isChanged(line)),
    added,
    changed: [...added, ...pathsOf(lines.filter(isChanged))],
  };
}

function trackedBelow(entries: readonly IndexEntry[], include: readonly string[]): ReadonlySet<string> {
  const folders = include.map((path) => encodePath(path.replace(/\/+$/, "")));
  const below = entries.filter(({ bytes }) => folders.some((folder) => isBelow(bytes, folder)));
  return new Set(below.map(({ bytes }) => decodePath(bytes)));
}

/** As `isUnder`, without reading every name of a large tree as text. */
function isBelow(path: Buffer, folder: Buffer): boolean {
  const isPrefix = path.length >= folder.length && folder.equals(path.subarray(0, folder.length));
  return isPrefix && (path.length === folder.length || path[folder.length] === SLASH);
}

const SLASH = 0x2f;

/** The time of the last change to a file's record cannot be set, unlike all that an index goes by. */
async function touchedSince({ repository, distrust }: Looking, entries: readonly IndexEntry[]): Promise<string[]> {
  if (distrust === null) return [];
  const slice = createTimeSlice();
  const touched: string[] = [];
  for (const { bytes } of entries) {
    const stats = statsOf(repository.top, bytes); // vanished: git tells
    if (stats !== null && !stats.isDirectory() && stats.ctimeMs >= distrust) touched.push(decodePath(bytes));
    if (slice.isOver()) await slice.next();
  }
  return touched;
}

/** Has the index not know these files: what it takes for unchanged, git would not read again. */
async function forget(git: Git, environment: IndexEnvironment, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = joinFields(paths);
  await must(git(["update-index", "--force-remove", "-z", "--stdin"], { environment, input }), "update-index");
}

/** Entries marked "assume unchanged" or "skip" would hide changes: then one has to look again. */
async function revealEntries(git: Git, { repository, environment, include }: Looking, entries: readonly IndexEntry[]) {
  const update = async (option: string, chosen: readonly Buffer[]) => {
    if (chosen.length === 0) return;
    const input = joinFields(chosen.map(decodePath));
    await must(git(["update-index", option, "-z", "--stdin"], { environment, input }), "update-index");
  };
  const skipped = entries.filter(({ tag }) => tag.toUpperCase() === "S");
  const shown = skipped.filter(({ bytes }) => statsOf(repository.top, bytes) !== null);
  const assumed = entries.filter(({ tag }) => tag !== tag.toUpperCase());
  const folder = Buffer.from(OWN_FOLDER);
  const own = entries.filter(({ bytes }) => isBelow(bytes, folder) && !isIncluded(decodePath(bytes), include));
  for (const [option, chosen] of [
    ["--no-assume-unchanged", assumed],
    ["--no-skip-worktree", shown],
    ["--force-remove", own],
  ] as const)
    await update(
      option,
      chosen.map(({ bytes }) => bytes),
    );
  return { isHiding: shown.length + assumed.length > 0, isSparse: skipped.length > 0 };
}

/** Null for what is not there, or cannot be looked at. */
function statsOf(top: string, path: Buffer): Stats | null {
  try {
    return lstatSync(inTree(top, path), { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
