import type { Stats } from "node:fs";
import { access, constants, copyFile, lstat, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, inTree, joinFields, splitFields } from "../process/git-path.ts";
import type { Repository } from "../read/repository.ts";

/** Environment of a git call that uses a separate index. */
export type IndexEnvironment = Readonly<Record<string, string>>;

/**
 * Copies the index, to know unchanged files without reading them. If there is no index, git starts with an empty one.
 */
export async function copyIndex(repository: Repository, folder: string): Promise<IndexEnvironment> {
  const file = join(folder, "index");
  const real = join(repository.gitDir, "index");
  const made = await stat(real).catch(() => null);
  if (made) {
    await copyFile(real, file);
    // Git reads a file again if it changed no earlier than the index: the copy must not look newer.
    const seconds = Math.floor(made.mtimeMs / 1000);
    await utimes(file, seconds, seconds);
  }
  return { GIT_INDEX_FILE: file };
}

/**
 * Lists files that differ from the index, with new files but without ignored ones. Never enters submodules, where `git
 * add` and `git status` would run the filters configured there. Repositories inside the tree end in a slash.
 */
export async function changedFiles(git: Git, environment: IndexEnvironment): Promise<string[]> {
  const args = ["ls-files", "-z", "--modified", "--others", "--exclude-standard"];
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return [...new Set(splitFields(output).map(decodePath))];
}

export type StagingRequest = {
  readonly environment: IndexEnvironment;
  readonly top: string;
  readonly paths: readonly string[];
};

export type StagingResult = {
  readonly count: number;
  /** True if a later scan with the index will see every change of these files. */
  readonly isReliable: boolean;
};

/** Updates the index to the current files; deleted files are removed. Unreadable files keep their entry. */
export async function stage(git: Git, { environment, top, paths }: StagingRequest): Promise<StagingResult> {
  const found = await lookAt(top, paths);
  const update = async (options: readonly string[], chosen: readonly PathState[]): Promise<void> => {
    if (chosen.length === 0) return;
    const input = joinFields(chosen.map(({ path }) => path).toSorted()); // a file is removed before a folder replaces it
    const args = ["update-index", ...options, "-z", "--stdin"];
    await must(git(args, { environment, input, timeoutMs: wholeTreeTimeoutMs }), "update-index");
  };
  const readable = found.filter(({ is }) => is === "there" || is === "vanished");
  const linked = found.filter(({ is }) => is === "behindLink");
  await update(["--add", "--remove", "--replace"], readable);
  await update(["--force-remove"], linked);
  return { count: readable.length + linked.length, isReliable: await isReliable(found, environment) };
}

/**
 * Returns false if the index may miss later changes. A deleted file may return: if it was ignored, only the user's
 * index would have it. Also, a file looks unchanged to git if it is written again in the same second and set to its
 * old time.
 */
async function isReliable(
  found: readonly PathState[],
  { GIT_INDEX_FILE: file = "" }: IndexEnvironment,
): Promise<boolean> {
  if (found.some(({ is }) => is !== "there" && is !== "unreadable")) return false;
  const written = seconds((await stat(file).catch(() => null))?.mtimeMs ?? 0);
  return !found.some(
    ({ stats }) => stats !== null && seconds(stats.ctimeMs) >= written && seconds(stats.mtimeMs) < written,
  );
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

type PathState = {
  readonly path: string;
  /** A folder instead of a file counts as vanished. Git does not follow links. */
  readonly is: "there" | "unreadable" | "vanished" | "behindLink";
  readonly stats: Stats | null;
};

async function lookAt(top: string, paths: readonly string[]): Promise<PathState[]> {
  const links = new Map<string, Promise<boolean>>();
  const isBehindLink = async (path: string): Promise<boolean> => {
    const parent = dirname(path);
    if (parent === ".") return false;
    const known = links.get(parent) ?? isLinkOrBehind(parent);
    links.set(parent, known);
    return known;
  };
  const isLinkOrBehind = async (folder: string): Promise<boolean> => {
    const stats = await lstat(inTree(top, folder)).catch(() => null);
    return stats?.isSymbolicLink() === true || isBehindLink(folder);
  };
  return Promise.all(
    paths.map(async (path) =>
      (await isBehindLink(path)) ? { path, is: "behindLink", stats: null } : lookAtFile(top, path),
    ),
  );
}

async function lookAtFile(top: string, path: string): Promise<PathState> {
  const file = inTree(top, path);
  try {
    const stats = await lstat(file);
    if (stats.isDirectory()) return { path, is: "vanished", stats: null };
    if (!stats.isSymbolicLink()) await access(file, constants.R_OK);
    return { path, is: "there", stats };
  } catch (error) {
    const isHidden = ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");
    return { path, is: isHidden ? "unreadable" : "vanished", stats: null };
  }
}
