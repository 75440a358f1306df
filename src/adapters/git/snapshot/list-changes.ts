import { statSync } from "node:fs";
import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

export type Changes = {
  /** New files, without ignored ones. Repositories inside the tree end in a slash. */
  readonly added: readonly string[];
  /** Files that differ from their entry or are deleted. Some may be rewritten with the same content. */
  readonly modified: readonly string[];
};

/** Size of an index with about 5,000 entries, in bytes. From this size on, two processes are faster than one. */
const LARGE = 512 * 1024;

/**
 * Lists the differences between the working tree and an index. Never enters submodules, where `git add` and `git
 * status` would run the filters configured there.
 */
export async function listChanges(git: Git, environment: IndexEnvironment): Promise<Changes> {
  const { GIT_INDEX_FILE: file = "" } = environment;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const listed = lister(git, environment);
  return size < LARGE ? listedByOne(listed) : listedByTwo(listed);
}

/** Like `listChanges`, for a working tree known to have no new file. */
export const listModified = async (git: Git, environment: IndexEnvironment): Promise<Changes> => ({
  added: [],
  modified: await modifiedFiles(lister(git, environment)),
});

type ListFiles = (...args: readonly string[]) => Promise<Buffer[]>;

const lister =
  (git: Git, environment: IndexEnvironment): ListFiles =>
  async (...args) =>
    splitFields(await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), args[0] ?? ""));

const NEW_FILES = ["--others", "--exclude-standard"];

async function listedByOne(listed: ListFiles): Promise<Changes> {
  const lines = await listed("ls-files", "-v", "-z", "--modified", ...NEW_FILES);
  const isAdded = (line: Buffer): boolean => line[0] === QUESTION_MARK;
  const pathsOf = (chosen: readonly Buffer[]): string[] => distinct(chosen.map((line) => line.subarray(2)));
  return { added: pathsOf(lines.filter(isAdded)), modified: pathsOf(lines.filter((line) => !isAdded(line))) };
}

/**
 * Uses `git diff-files`, which compares many files at a time, not one after the other like `git ls-files`. New files
 * are listed in parallel.
 */
async function listedByTwo(listed: ListFiles): Promise<Changes> {
  const [added, modified] = await Promise.all([listed("ls-files", "-z", ...NEW_FILES), modifiedFiles(listed)]);
  return { added: distinct(added), modified };
}

const modifiedFiles = async (listed: ListFiles): Promise<string[]> =>
  distinct(await listed("diff-files", "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=dirty"));

const QUESTION_MARK = 0x3f;

/** Removes duplicates, because an entry of an unfinished merge is listed several times. */
const distinct = (paths: readonly Buffer[]): string[] => [...new Set(paths.map(decodePath))];
