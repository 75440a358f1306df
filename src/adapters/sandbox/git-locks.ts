import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { otherTrees } from "../git/read/working-trees.ts";
import { isWithin } from "./is-within.ts";
import { unsafePath } from "./unsafe-path.ts";

export type GitLocks = {
  /** Parent folders of locked paths. As separate mounts they cannot be renamed. */
  readonly pinned: readonly string[];
  readonly locked: readonly string[];
};

/** Finds git files in a writable working tree, besides `.git`, that could make git run other programs. */
export function gitLocks(tree: string, gitDirs: readonly string[]): GitLocks {
  const inside = (path: string): boolean => path !== tree && isWithin(path, tree);
  const linked = gitDirs.flatMap((folder) => SETTINGS.flatMap((name) => linkTarget(join(folder, name), tree) ?? []));
  const locked = [...new Set([...gitDirs, ...otherTrees(tree), ...linked])].filter(inside);
  return { pinned: [...new Set(locked.flatMap((path) => foldersBetween(tree, path)))], locked };
}

const SETTINGS = ["hooks", "config", "config.worktree", "info"];

/**
 * Returns the target of a link into the working tree, otherwise null. Chained links are rejected, because the second
 * link could be redirected.
 */
function linkTarget(path: string, tree: string): string | null {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return null;
  const target = resolve(dirname(path), readlinkSync(path));
  const end = resolveEnd(target);
  if (!isWithin(target, tree) && (end === null || !isWithin(end, tree))) return null;
  if (end === target) return target;
  throw unsafePath(
    path,
    end === null ? "it is a link to something in the tree that is not there" : "it is a link to a link",
  );
}

function resolveEnd(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function foldersBetween(tree: string, path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder !== tree; folder = dirname(folder)) folders.unshift(folder);
  return folders;
}
