import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { type RawPath, rawInTree } from "../process/git-path.ts";

const GIT = ".git";
/** Skipped at the top only. */
const NOT_OF_THE_TREE: ReadonlySet<string> = new Set([GIT, OWN_FOLDER]);

/** Thrown for content that only git should interpret. */
export class OnlyForGit extends Error {}

export const pathIn = (folder: RawPath, name: string): RawPath => (folder === "" ? name : `${folder}/${name}`);

/**
 * Lists a folder of the tree, with names as bytes in latin1; at the top without `.git` and `.isdlc`. If the system
 * does not report the type of an entry, Node asks for it by its name as text, which may name another file: callers
 * must check non-ASCII names themselves.
 * @throws OnlyForGit if the folder has a `.git`.
 */
export function entriesIn(top: string, folder: RawPath): Dirent[] {
  const place = rawInTree(top, folder);
  if (typeof place !== "string" && !lstatSync(place).isDirectory()) throw new OnlyForGit();
  const entries = readdirSync(place, { withFileTypes: true, encoding: "latin1" });
  const ofTree = folder === "" ? entries.filter(({ name }) => !NOT_OF_THE_TREE.has(name)) : entries;
  if (ofTree.some(({ name }) => name.length === GIT.length && name.toLowerCase() === GIT)) throw new OnlyForGit();
  return ofTree;
}
