import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { type RawPath, rawInTree } from "../process/git-path.ts";

const GIT = ".git";
/** At the top. */
const NOT_OF_THE_TREE: ReadonlySet<string> = new Set([GIT, OWN_FOLDER]);

/** Something of which git alone should judge what it means for a look. */
export class OnlyForGit extends Error {}

export const pathIn = (folder: RawPath, name: string): RawPath => (folder === "" ? name : `${folder}/${name}`);

/**
 * What is in a folder of the tree, names as bytes in latin1; at the top without git's folder and our own. Throws where
 * there is a repository inside. Where the system does not tell what an entry is, Node asks for its name as text, which
 * may be that of another: of a name that is not plain, the caller has to ask for itself.
 */
export function entriesIn(top: string, folder: RawPath): Dirent[] {
  const place = rawInTree(top, folder);
  if (typeof place !== "string" && !lstatSync(place).isDirectory()) throw new OnlyForGit();
  const entries = readdirSync(place, { withFileTypes: true, encoding: "latin1" });
  const ofTree = folder === "" ? entries.filter(({ name }) => !NOT_OF_THE_TREE.has(name)) : entries;
  if (ofTree.some(({ name }) => name.length === GIT.length && name.toLowerCase() === GIT)) throw new OnlyForGit();
  return ofTree;
}
