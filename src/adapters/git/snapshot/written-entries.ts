import { lstatSync, readdirSync, type Stats } from "node:fs";
import { type RawPath, rawInTree } from "../process/git-path.ts";
import { pathIn } from "./folder-stamps.ts";

export type WrittenEntry = { readonly path: RawPath; readonly stats: Stats };

/** Limits of a listing: names to skip at the top, and the maximum number of entries. */
export type EntryLimits = { readonly without?: ReadonlySet<string>; readonly most?: number };

/**
 * Lists everything in a folder; a folder comes after its content. Links are not followed. Returns null if there are
 * too many entries.
 */
export function entriesBelow(root: string, limits: EntryLimits = {}): readonly WrittenEntry[] | null {
  const found: WrittenEntry[] = [];
  return addEntries(found, { root, folder: "", most: Infinity, ...limits }) ? found : null;
}

type EntryWalk = EntryLimits & { readonly root: string; readonly folder: RawPath; readonly most: number };

function addEntries(found: WrittenEntry[], walk: EntryWalk): boolean {
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

/** Returns the stat data of an entry. The ctime cannot be set: with fine file times, every change alters the result. */
export const entryStamp = ({ ino, size, mode, ctimeMs }: Stats): string => `${ino} ${size} ${mode} ${ctimeMs}`;
