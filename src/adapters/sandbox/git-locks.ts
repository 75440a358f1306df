import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { otherTrees } from "../git/read/working-trees.ts";
import { isWithin } from "./is-within.ts";
import { unsafePath } from "./unsafe-path.ts";

export type GitLocks = {
  /** Folders on the way to something locked: as mounts of their own they cannot be renamed away with it. */
  readonly pinned: readonly string[];
  readonly locked: readonly string[];
};

/** What git keeps inside of a tree that an agent writes in, besides `.git`: by it, git would run other programs. */
export function gitLocks(tree: string, gitDirs: readonly string[]): GitLocks {
  const inside = (path: string): boolean => path !== tree && isWithin(path, tree);
  const linked = gitDirs.flatMap((folder) => SETTINGS.flatMap((name) => linkTarget(join(folder, name), tree) ?? []));
  const locked = [...new Set([...gitDirs, ...otherTrees(tree), ...linked])].filter(inside);
  return { pinned: [...new Set(locked.flatMap((path) => foldersBetween(tree, path)))], locked };
}

const SETTINGS = ["hooks", "config", "config.worktree", "info"];

/** Where a link into the tree leads; null for anything else. Through a second link it could be turned around. */
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
