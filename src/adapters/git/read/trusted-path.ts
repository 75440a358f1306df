import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { nodeFiles } from "../../file-system/file-system.ts";
import { otherTrees } from "./other-trees.ts";

/**
 * A PATH that no repository fills: without relative entries, without those that are or lead into a working tree of the
 * repository around a folder (`npx` and `npm run` put its `node_modules/.bin` first), and without what is not there.
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

/** The working tree around a folder, and every other one of its repository. Without git: the folder itself. */
export function workingTrees(folder: string): readonly string[] {
  const real = realOrNull(folder) ?? folder;
  const root = treeAround(real);
  if (root === null) return [real];
  const others = otherTrees(root);
  return [root, ...others];
}

function treeAround(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (nodeFiles.lstatSync(join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (at === dirname(at)) return null;
  }
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // not there, or not for us
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
