import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { nodeFiles } from "../../file-system/file-system.ts";
import { type GitFolders, gitFolders, readPointer } from "./git-head.ts";

/** More working trees than anybody looks through. */
const MAX_TREES = 100;

/**
 * The other working trees of the repository, read from its git folder without starting git. Only those that point back
 * to this repository: whoever ships a git folder cannot name somebody else's. Nothing is followed through links.
 */
export function otherTrees(root: string): readonly string[] {
  const folders = quietly(() => gitFolders(root));
  if (folders === null || !isTreeOf(root, folders)) return [];
  const { common } = folders;
  const main = basename(common) === ".git" ? [dirname(common)] : [];
  const linked = namesIn(join(common, "worktrees")).flatMap((name): string[] => {
    const tree = treeOf(join(common, "worktrees", name));
    return tree === null ? [] : [tree];
  });
  return [...new Set([...main, ...linked])].filter((tree) => tree !== root && belongsTo(tree, common)).sort();
}

function namesIn(folder: string): readonly string[] {
  const isFolder = quietly(() => nodeFiles.lstatSync(folder).isDirectory()) === true;
  return isFolder ? (quietly(() => nodeFiles.readdirSync(folder)) ?? []).slice(0, MAX_TREES) : [];
}

/** `worktrees/<name>/gitdir` names the `.git` of its tree, relative to itself in newer repositories. */
function treeOf(own: string): string | null {
  const pointer = quietly(() => readPointer(join(own, "gitdir")));
  if (!pointer) return null;
  const dotGit = resolve(own, pointer);
  return basename(dotGit) === ".git" ? dirname(dotGit) : null;
}

function belongsTo(tree: string, common: string): boolean {
  const folders = quietly(() => (realpathSync(tree) === tree ? gitFolders(tree) : null));
  return folders !== null && folders.common === common && isTreeOf(tree, folders);
}

/** A tree and its git folder name each other: one alone proves nothing. */
function isTreeOf(tree: string, { own, common }: GitFolders): boolean {
  if (own === common) return own === join(tree, ".git");
  return dirname(own) === join(common, "worktrees") && treeOf(own) === tree;
}

/** Null for a link, a pipe, a missing folder, no permission. */
function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
