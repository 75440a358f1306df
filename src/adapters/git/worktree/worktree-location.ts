import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { WorktreeRefusal } from "../../../ports/worktrees.ts";
import { type GitFolders, gitFolders, readPointer } from "../process/working-trees.ts";

/** Less than the 255 of most file systems, because git adds suffixes. */
const NAME_BYTES = 200;
const NAME = /^[^\p{C}\p{Z}/\\:*?"<>|.~-](?:[^\p{C}/\\:*?"<>|]*[^\p{C}\p{Z}/\\:*?"<>|.])?$/u;

/**
 * Returns true for one visible name next to the main tree: no separators or invisible characters, not hidden, and not
 * readable as an option.
 */
export function isWorktreeName(name: string): boolean {
  return NAME.test(name) && !name.includes("..") && Buffer.byteLength(name) <= NAME_BYTES;
}

/** Returns `../<project>-<id>-<slug>`, with invalid characters replaced by dashes. */
export function worktreePath(mainRoot: string, item: { readonly id: string; readonly slug: string }): string {
  const plain = [basename(mainRoot), item.id, item.slug]
    .join("-")
    .replaceAll(/[\p{C}\p{Z}/\\:*?"<>|~]+|\.{2,}/gu, "-")
    .replace(/^[-.]+/, "")
    .replace(/[-.]+$/, "");
  return `../${plain}`;
}

/** Returns the value to store for a linked tree next to the main one; null for any other path. */
export function relativeWorktree(mainRoot: string, path: string): string | null {
  const isBeside = dirname(path) === dirname(mainRoot) && path !== mainRoot;
  return isBeside && isWorktreeName(basename(path)) ? `../${basename(path)}` : null;
}

/**
 * Returns the linked tree named by a stored value. The value comes from a committed file: only a real linked tree of
 * this repository is trusted, next to its main tree and reached without links.
 */
export function resolveWorktree(mainRoot: string, stored: unknown): string | null {
  if (typeof stored !== "string" || !stored.startsWith("../") || !isWorktreeName(stored.slice(3))) return null;
  const main = findMainTree(mainRoot);
  const path = main && join(dirname(main), stored.slice(3));
  return main !== null && path !== null && linkedTree(main, path) !== null ? path : null;
}

/**
 * Returns the main working tree of the repository around a tree's top folder, with links resolved; null if it has
 * none.
 */
export function findMainTree(root: string): string | null {
  const top = quietly(() => realpathSync(root));
  const folders = top && findGitFolders(top);
  if (!top || !folders) return null;
  if (folders.own === folders.common) return top;
  const main = dirname(folders.common);
  if (linkedTree(main, top) === null) return null;
  return findGitFolders(main)?.own === folders.common ? main : null;
}

/**
 * Returns git's folders of a linked tree. Returns null unless tree and repository name each other and the path has no
 * links.
 */
export function linkedTree(main: string, path: string): GitFolders | null {
  const folders = quietly(() => realpathSync(path)) === path ? findGitFolders(path) : null;
  if (folders === null || folders.common !== findGitFolders(main)?.common) return null;
  const pointer = quietly(() => readPointer(join(folders.own, "gitdir")));
  const isMutual = dirname(folders.own) === join(folders.common, "worktrees");
  return isMutual && pointer && resolve(folders.own, pointer) === join(path, ".git") ? folders : null;
}

export function refused<Why extends string>(
  why: Why,
  fix: string,
  about: readonly string[] = [],
): WorktreeRefusal<Why> {
  return { ok: false, why, fix, about };
}

const findGitFolders = (root: string): GitFolders | null => quietly(() => gitFolders(root));

/** Returns null for a link, a pipe, a missing folder or no permission. */
function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
