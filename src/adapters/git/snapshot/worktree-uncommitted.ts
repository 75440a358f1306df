import { lstat } from "node:fs/promises";
import { withoutFilters } from "../read/content-filters.ts";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, encodePath, joinFields, splitFields } from "../process/git-path.ts";
import { readFacts } from "../read/git-read.ts";
import type { Repository } from "../read/repository.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import { changedFiles, copyIndex } from "./temporary-index.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

/**
 * Lists every path that differs between HEAD, the index and the disk, and every new file that is not ignored. Includes
 * files marked "assume unchanged" or "skip worktree", because removing the tree deletes them too.
 */
export function uncommittedIn(repository: Repository): Promise<readonly string[]> {
  const git = hardenedGit(repository.top, repository.env);
  return inTemporaryFolder(async (folder) => {
    const environment = { ...(await withoutFilters(git)), ...(await copyIndex(repository, folder)) };
    await reveal(git, repository.top, environment);
    const changed = await changedFiles(git, environment);
    return [...new Set([...changed, ...(await stagedFiles(git, environment))])].toSorted();
  });
}

/** Returns the system path of a git path, as bytes. */
export const fileAt = (top: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${top}/`), encodePath(path.replace(/\/$/, ""))]);

async function stagedFiles(git: Git, environment: IndexEnvironment): Promise<string[]> {
  const { head } = await readFacts(git);
  const listing = ["ls-files", "-z"];
  const comparison = ["diff-index", "-z", "--cached", "--name-only", "--no-renames", "--no-ext-diff", head ?? ""];
  const args = head === null ? listing : comparison;
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), args[0] ?? "");
  return splitFields(output).map(decodePath);
}

/** Clears the marks of hidden files that exist. In a sparse tree, absent files stay skipped: they were not deleted. */
async function reveal(git: Git, top: string, environment: IndexEnvironment): Promise<void> {
  const output = await must(git(["ls-files", "-v", "-z"], { environment, timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  const entries = splitFields(output).map((field) => ({
    tag: field.toString("latin1", 0, 1),
    path: decodePath(field.subarray(2)),
  }));
  const hidden: string[] = [];
  for (const { tag, path } of entries) {
    const isHidden = tag.toUpperCase() === "S" || tag !== tag.toUpperCase();
    if (isHidden && (await lstat(fileAt(top, path)).catch(() => null)) !== null) hidden.push(path);
  }
  if (hidden.length === 0) return;
  const input = joinFields(hidden);
  for (const option of ["--no-assume-unchanged", "--no-skip-worktree"])
    await must(git(["update-index", option, "-z", "--stdin"], { environment, input }), "update-index");
}
