import { lstatSync, readdirSync, type Stats } from "node:fs";
import { type RawPath, rawInTree } from "../process/git-path.ts";
import { pathIn } from "./walked-folder.ts";

export type WrittenEntry = { readonly path: RawPath; readonly stats: Stats };

/** What is not looked at: names at the top, and whatever comes after so many entries. */
export type EntryLimits = { readonly without?: ReadonlySet<string>; readonly most?: number };

/** All that is in a folder; a folder comes after what is in it. Links are not followed. Null where it is too much. */
export function entriesBelow(root: string, limits: EntryLimits = {}): readonly WrittenEntry[] | null {
  const found: WrittenEntry[] = [];
  return addEntries(found, { root, folder: "", most: Infinity, ...limits }) ? found : null;
}

type Walk = EntryLimits & { readonly root: string; readonly folder: RawPath; readonly most: number };

function addEntries(found: WrittenEntry[], walk: Walk): boolean {
  const { root, folder, without, most } = walk;
  for (const name of readdirSync(rawInTree(root, folder), { encoding: "latin1" })) {
    if (folder === "" && without?.has(name) === true) continue;
    const path = pathIn(folder, name);
    const stats = lstatSync(rawInTree(root, path));
    if (stats.isDirectory() && !addEntries(found, { ...walk, folder: path })) return false;
    if (found.push({ path, stats }) > most) return false;
  }
  return true;
}

/** The time of the last change of state cannot be set: where it is told finely enough, another stamp follows each change. */
export const entryStamp = ({ ino, size, mode, ctimeMs }: Stats): string => `${ino} ${size} ${mode} ${ctimeMs}`;
