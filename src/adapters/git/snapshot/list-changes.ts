import { statSync } from "node:fs";
import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

export type Changes = {
  /** New files, ignored ones not. Repositories inside the tree end in a slash. */
  readonly added: readonly string[];
  /** Files that differ from their entry, or are gone. Some may only have been written again as they were. */
  readonly modified: readonly string[];
};

/** Bytes of an index with some 5,000 entries: from there on two processes are faster than one. */
const LARGE = 512 * 1024;

/**
 * What of the working tree differs from an index. Never looks inside submodules, where `git add` and `git status` would
 * run the filters configured there.
 */
export async function listChanges(git: Git, environment: IndexEnvironment): Promise<Changes> {
  const { GIT_INDEX_FILE: file = "" } = environment;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const listed = lister(git, environment);
  return size < LARGE ? listedByOne(listed) : listedByTwo(listed);
}

/** The same of a tree of which it is known that no file in it is new. */
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

/** `git ls-files` compares one file after the other, `git diff-files` many at a time; new files are found meanwhile. */
async function listedByTwo(listed: ListFiles): Promise<Changes> {
  const [added, modified] = await Promise.all([listed("ls-files", "-z", ...NEW_FILES), modifiedFiles(listed)]);
  return { added: distinct(added), modified };
}

const modifiedFiles = async (listed: ListFiles): Promise<string[]> =>
  distinct(await listed("diff-files", "-z", "--name-only", "--no-ext-diff", "--ignore-submodules=dirty"));

const QUESTION_MARK = 0x3f;

/** An entry of an unfinished merge is named several times. */
const distinct = (paths: readonly Buffer[]): string[] => [...new Set(paths.map(decodePath))];
