import { makeTree, type TreeStore } from "./edit-tree.ts";
import { type EntryGlance, type GitIndex, type KnownTree, readFromIndex } from "./git-index.ts";
import { TREE_MODE, type TreeEntry } from "./tree-entries.ts";

/** Git itself writes more folders or files faster, and caches them. */
const MAX_CACHED_FOLDERS = 100;
const MAX_UNCOVERED_FILES = 1_000;

/**
 * Writes the tree of an index, as `git write-tree` does. Returns null if git has to do it. Reads no entries of folders
 * with a cached tree.
 */
export async function treeOfIndex(store: TreeStore, file: string): Promise<string | null> {
  const glance = readFromIndex(file, isOutsideTrees);
  const remembered = glance && rememberedTree(glance);
  if (glance === null || glance.entries.length > 0 || remembered !== null) return remembered;
  if (glance.count - countKnown(glance.known) > MAX_UNCOVERED_FILES) return null;
  const { isOutside, covers } = coversBy(glance.known);
  const files = readFromIndex(file, isOutside)?.entries;
  if (files === undefined || covers().some(({ count, known }) => count !== known.count)) return null;
  const root = toFolder([
    ...files.map((entry) => ({ entry, rest: entry.name })),
    ...covers().map(({ path, id }) => ({ entry: { mode: TREE_MODE, id }, rest: path })),
  ]);
  return countFolders(root) > MAX_CACHED_FOLDERS ? null : written(store, root);
}

/** Returns true for an entry of an unresolved merge, or added with `git add -N` only. */
export const isOutsideTrees = ({ stage, isAnnounced }: EntryGlance): boolean => stage !== 0 || isAnnounced;

/**
 * Returns git's cached tree of the whole index. Returns null if it has to be written, or an entry belongs to no tree.
 */
export const rememberedTree = ({ entries, count, known }: GitIndex): string | null =>
  known?.count === count && !entries.some(isOutsideTrees) ? known.id : null;

/** A folder with a cached tree, and the number of its files in the index. */
type Cover = { readonly path: string; readonly id: string; readonly known: KnownTree; count: number };

type CachedFolder = { readonly known: KnownTree | undefined; readonly cover: Cover | null };

/**
 * Separates files outside of folders with a cached tree. Counts the files in these folders, to compare the numbers
 * with git's cache.
 */
function coversBy(root: KnownTree | null) {
  const places = new Map<string, CachedFolder>([["", placed("", root ?? undefined)]]);
  function placeOf(folder: string): CachedFolder {
    const found = places.get(folder);
    if (found !== undefined) return found;
    const slash = folder.lastIndexOf("/");
    const above = placeOf(folder.slice(0, Math.max(slash, 0)));
    const place = above.cover === null ? placed(folder, above.known?.folders.get(folder.slice(slash + 1))) : above;
    places.set(folder, place);
    return place;
  }
  return {
    isOutside: ({ name }: EntryGlance): boolean => {
      const { cover } = placeOf(name.slice(0, Math.max(name.lastIndexOf("/"), 0)));
      if (cover !== null) cover.count++;
      return cover === null;
    },
    covers: (): readonly Cover[] => [
      ...new Set([...places.values()].flatMap(({ cover }) => (cover === null ? [] : [cover]))),
    ],
  };
}

function placed(path: string, known: KnownTree | undefined): CachedFolder {
  const id = known?.id ?? null;
  return { known, cover: known === undefined || id === null ? null : { path, id, known, count: 0 } };
}

/** Counts the files in folders with a cached tree. */
function countKnown(known: KnownTree | null): number {
  if (known === null) return 0;
  if (known.id !== null) return known.count;
  return [...known.folders.values()].reduce((sum, inner) => sum + countKnown(inner), 0);
}

type IndexFolder = {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly folders: ReadonlyMap<string, IndexFolder>;
};

type PlacedIndexEntry = { readonly entry: TreeEntry; readonly rest: string };

function toFolder(placed: readonly PlacedIndexEntry[]): IndexFolder {
  const entries = new Map<string, TreeEntry>();
  const inside = new Map<string, PlacedIndexEntry[]>();
  for (const { entry, rest } of placed) {
    const slash = rest.indexOf("/");
    const name = slash === -1 ? rest : rest.slice(0, slash);
    if (slash === -1) entries.set(name, entry);
    else {
      const below = inside.get(name) ?? [];
      below.push({ entry, rest: rest.slice(slash + 1) });
      inside.set(name, below);
    }
  }
  return { entries, folders: new Map([...inside].map(([name, below]) => [name, toFolder(below)])) };
}

const countFolders = ({ folders }: IndexFolder): number =>
  [...folders.values()].reduce((sum, inner) => sum + countFolders(inner), 1);

async function written(store: TreeStore, folder: IndexFolder): Promise<string> {
  const entries = new Map(folder.entries);
  for (const [name, inner] of folder.folders) entries.set(name, { mode: TREE_MODE, id: await written(store, inner) });
  return makeTree(store, entries);
}
