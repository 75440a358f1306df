import { access, constants, copyFile, lstat, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { must, wholeTreeTimeoutMs } from "./git.ts";
import type { Git } from "./git.ts";
import { decodePath, encodePath, joinFields, splitFields } from "./git-path.ts";
import type { Repository } from "./repository.ts";

/** Environment of a call that works on an index of its own. */
export type IndexEnvironment = Readonly<Record<string, string>>;

/** Copies the index, so that unchanged files are known without reading them; without one, git starts from an empty one. */
export async function copyIndex(repository: Repository, folder: string): Promise<IndexEnvironment> {
  const file = join(folder, "index");
  const real = join(repository.gitDir, "index");
  const made = await stat(real).catch(() => null);
  if (made) {
    await copyFile(real, file);
    // Git reads a file again when it changed as late as the index was written; a copy must not look newer.
    const seconds = Math.floor(made.mtimeMs / 1000);
    await utimes(file, seconds, seconds);
  }
  return { GIT_INDEX_FILE: file };
}

/**
 * Files that differ from the index, new ones included, ignored ones not. Never looks inside submodules, where `git add`
 * and `git status` would run the filters configured there. Repositories inside the tree end in a slash.
 */
export async function changedFiles(git: Git, environment: IndexEnvironment): Promise<string[]> {
  const args = ["ls-files", "-z", "--modified", "--others", "--exclude-standard"];
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return [...new Set(splitFields(output).map(decodePath))];
}

export type Staging = {
  readonly environment: IndexEnvironment;
  readonly top: string;
  readonly paths: readonly string[];
};

export type Staged = {
  readonly count: number;
  /** Some entry may have left the index. */
  readonly hasVanished: boolean;
};

/** Takes the files as they are into the index, vanished ones as deleted. Unreadable ones keep their entry. */
export async function stage(git: Git, { environment, top, paths }: Staging): Promise<Staged> {
  const found = await Promise.all(paths.map(async (path) => ({ path, is: await lookAt(top, path) })));
  const readable = found.filter(({ is }) => is !== "unreadable").map(({ path }) => path);
  if (readable.length > 0) {
    const args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
    const input = joinFields(readable.toSorted()); // where a file became a folder, the file has to leave first
    await must(git(args, { environment, input, timeoutMs: wholeTreeTimeoutMs }), "update-index");
  }
  return { count: readable.length, hasVanished: found.some(({ is }) => is === "vanished") };
}

/** A folder in the place of a file counts as vanished. */
async function lookAt(top: string, path: string): Promise<"readable" | "unreadable" | "vanished"> {
  const file = Buffer.concat([Buffer.from(`${top}/`), encodePath(path)]);
  try {
    if ((await lstat(file)).isDirectory()) return "vanished";
    await access(file, constants.R_OK);
    return "readable";
  } catch (error) {
    return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "") ? "unreadable" : "vanished";
  }
}
