import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { WorktreeRefusal } from "../../../ports/worktrees.ts";
import { type GitFolders, gitFolders, readPointer } from "../read/working-trees.ts";

/** Bytes; file systems allow 255, and git adds endings of its own. */
const NAME_BYTES = 200;
const NAME = /^[^\p{C}\p{Z}/\\:*?"<>|.~-](?:[^\p{C}/\\:*?"<>|]*[^\p{C}\p{Z}/\\:*?"<>|.])?$/u;

/** One visible name beside the main tree: no separators, nothing invisible, nothing read as an option or hidden. */
export function isWorktreeName(name: string): boolean {
  return NAME.test(name) && !name.includes("..") && Buffer.byteLength(name) <= NAME_BYTES;
}

/** `../<project>-<id>-<slug>`, with what a name cannot have replaced by dashes. */
export function worktreePath(mainRoot: string, item: { readonly id: string; readonly slug: string }): string {
  const plain = [basename(mainRoot), item.id, item.slug]
    .join("-")
    .replaceAll(/[\p{C}\p{Z}/\\:*?"<>|~]+|\.{2,}/gu, "-")
    .replace(/^[-.]+/, "")
    .replace(/[-.]+$/, "");
  return `../${plain}`;
}

/** What may be stored for a linked tree beside the main one; null for every other place. */
export function relativeWorktree(mainRoot: string, path: string): string | null {
  const isBeside = dirname(path) === dirname(mainRoot) && path !== mainRoot;
  return isBeside && isWorktreeName(basename(path)) ? `../${basename(path)}` : null;
}

/**
 * The linked tree a stored value names. The value comes from a committed file: only a real linked tree of this very
 * repository, beside its main tree and reached without links, is believed.
 */
export function resolveWorktree(mainRoot: string, stored: unknown): string | null {
  if (typeof stored !== "string" || !stored.startsWith("../") || !isWorktreeName(stored.slice(3))) return null;
  const main = findMainTree(mainRoot);
  const path = main && join(dirname(main), stored.slice(3));
  return main !== null && path !== null && linkedTree(main, path) !== null ? path : null;
}

/** The main working tree of the repository around a tree's top folder, links resolved; null when it has none. */
export function findMainTree(root: string): string | null {
  const top = quietly(() => realpathSync(root));
  const folders = top && findGitFolders(top);
  if (!top || !folders) return null;
  if (folders.own === folders.common) return top;
  const main = dirname(folders.common);
  if (linkedTree(main, top) === null) return null;
  return findGitFolders(main)?.own === folders.common ? main : null;
}

/** Git's folders of a linked tree; null unless tree and repository name each other and no link is on the way. */
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

/** Null for a link, a pipe, a missing folder, no permission. */
function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
