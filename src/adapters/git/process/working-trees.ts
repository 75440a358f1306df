import { realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { nodeFiles, readSmall } from "../../files/file-system.ts";

export type GitFolders = {
  /** Git folder of this working tree. */
  readonly own: string;
  /** Git folder shared by all working trees of the repository. */
  readonly common: string;
};

const POINTER_BYTES = 4 * 1024;
/** Further linked working trees are ignored. */
const MAX_TREES = 100;

/** Returns git's folders of a working tree; null if `.git` is neither a folder nor a plain pointer to one. */
export function gitFolders(root: string): GitFolders | null {
  const dotGit = join(root, ".git");
  const found = nodeFiles.lstatSync(dotGit, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return { own: dotGit, common: dotGit };
  const pointer = found?.isFile() === true ? readPointer(dotGit) : null;
  if (!pointer?.startsWith("gitdir: ")) return null;
  const own = resolve(root, pointer.slice("gitdir: ".length));
  const common = readPointer(join(own, "commondir"));
  return { own, common: common === null ? own : resolve(own, common) };
}

/**
 * Lists the other working trees of the repository from its git folder, without starting git. Includes only those that
 * point back to this repository: a git folder from elsewhere cannot name someone else's working trees. Links are not
 * followed.
 */
export function otherTrees(root: string): readonly string[] {
  const folders = quietly(() => gitFolders(root));
  if (folders === null || !belongsToRepository(root, folders)) return [];
  const { common } = folders;
  const main = basename(common) === ".git" ? [dirname(common)] : [];
  const linked = namesIn(join(common, "worktrees")).flatMap((name): string[] => {
    const tree = readTreeFolder(join(common, "worktrees", name));
    return tree === null ? [] : [tree];
  });
  return [...new Set([...main, ...linked])].filter((tree) => tree !== root && belongsTo(tree, common)).sort();
}

function namesIn(folder: string): readonly string[] {
  const isFolder = quietly(() => nodeFiles.lstatSync(folder).isDirectory()) === true;
  return isFolder ? (quietly(() => nodeFiles.readdirSync(folder)) ?? []).slice(0, MAX_TREES) : [];
}

/** Reads the folder of a tree: `worktrees/<name>/gitdir` names its `.git`, relative to itself in newer repositories. */
function readTreeFolder(own: string): string | null {
  const pointer = quietly(() => readPointer(join(own, "gitdir")));
  if (!pointer) return null;
  const dotGit = resolve(own, pointer);
  return basename(dotGit) === ".git" ? dirname(dotGit) : null;
}

function belongsTo(tree: string, common: string): boolean {
  const folders = quietly(() => (realpathSync(tree) === tree ? gitFolders(tree) : null));
  return folders !== null && folders.common === common && belongsToRepository(tree, folders);
}

/** Returns true if a tree and its git folder name each other. One direction alone proves nothing. */
function belongsToRepository(tree: string, { own, common }: GitFolders): boolean {
  if (own === common) return own === join(tree, ".git");
  return dirname(own) === join(common, "worktrees") && readTreeFolder(own) === tree;
}

/** Reads the only line of a small file. Returns an empty string for any other file, null if it is missing. */
export function readPointer(path: string): string | null {
  if (nodeFiles.lstatSync(path, { throwIfNoEntry: false }) === undefined) return null;
  const text =
    readSmall(nodeFiles, path, POINTER_BYTES)
      ?.toString("utf8")
      .replace(/\r?\n$/, "") ?? "";
  return /[\n\0\ufffd]/.test(text) ? "" : text;
}

/** Returns null for a link, a pipe, a missing folder or no permission. */
function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/**
 * Returns a PATH that no repository controls: without relative entries, missing entries, and entries that are in or
 * lead into a working tree of the repository around a folder (`npx` and `npm run` put its `node_modules/.bin` first).
 */
export function trustedPath(path: string, folder: string): string {
  const trees = workingTrees(folder);
  const isOutside = (entry: string): boolean => {
    const real = realOrNull(entry);
    return real !== null && ![entry, real].some((place) => trees.some((tree) => isWithin(place, tree)));
  };
  const entries = path.split(delimiter).filter((entry) => isAbsolute(entry) && isOutside(entry));
  return [...new Set(entries)].join(delimiter);
}

/** Lists the working tree around a folder, and all others of its repository. Without git, returns the folder itself. */
export function workingTrees(folder: string): readonly string[] {
  const real = realOrNull(folder) ?? folder;
  const root = treeAround(real);
  if (root === null) return [real];
  const others = otherTrees(root);
  return [root, ...others];
}

/** Returns the nearest folder with a `.git`, from this one upwards. A dangling link counts too. */
export function treeAround(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (hasGit(at)) return at;
    if (at === dirname(at)) return null;
  }
}

/**
 * Returns true if the folder has a `.git`. An empty folder does not count: sandboxes of agents put one into `/tmp`
 * while a command runs.
 */
function hasGit(folder: string): boolean {
  const dotGit = join(folder, ".git");
  const found = nodeFiles.lstatSync(dotGit, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return !found.isDirectory() || quietly(() => nodeFiles.readdirSync(dotGit))?.length !== 0;
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // missing or no permission
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
