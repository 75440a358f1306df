import { basename, dirname, join, resolve } from "node:path";
import { OWN_FOLDER } from "../../core/own-folder.ts";
import { isSafeName } from "../../schema/ids.ts";
import { folderExists, nodeFiles } from "../files/file-system.ts";

/**
 * Returns a feature's folder as an absolute path. No folder from the feature up to its project may be a link. @throws
 * for anything else
 */
export function realFeatureFolder(path: unknown): string {
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw new Error("the feature's folder is not a path");
  const folder = resolve(path);
  if (!isSafeName(basename(folder))) throw new Error("the feature's folder has no plain name");
  for (const part of [folder, ...foldersOfProject(folder)]) {
    if (!folderExists(nodeFiles, part)) throw new Error("the feature has no folder");
  }
  return folder;
}

/** Lists all parent folders, nearest first. */
export function foldersAbove(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...foldersAbove(parent)];
}

/** Lists the folders between a feature and its project: the nearest parent with a `.git` or `.isdlc`. */
function foldersOfProject(folder: string): string[] {
  const above = foldersAbove(folder);
  return above.slice(0, Math.max(0, above.findIndex(isProject)));
}

const isProject = (folder: string): boolean =>
  [".git", OWN_FOLDER].some((name) => nodeFiles.lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined);
