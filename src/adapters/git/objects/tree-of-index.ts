import type { TreeEntry } from "../write/tree-entry.ts";
import { makeTree, type TreeStore } from "./edit-tree.ts";
import { type EntryGlance, type GitIndex, type KnownTree, readFromIndex } from "./git-index.ts";
import { TREE_MODE } from "./tree-entries.ts";

/** More folders or files than these are written faster by git itself, which also remembers them. */
const MAX_FOLDERS = 100;
const MAX_FILES = 1_000;

/**
 * The tree that an index holds, as `git write-tree` has it; null where that is left to git. Of what lies in folders that
 * git remembers, nothing is read.
 */
export async function treeOfIndex(store: TreeStore, file: string): Promise<string | null> {
  const glance = readFromIndex(file, isOutsideTrees);
  const remembered = glance && rememberedTree(glance);
  if (glance === null || glance.entries.length > 0 || remembered !== null) return remembered;
  if (glance.count - countKnown(glance.known) > MAX_FILES) return null;
  const { isOutside, covers } = coversBy(glance.known);
  const files = readFromIndex(file, isOutside)?.entries;
  if (files === undefined || covers().some(({ count, known }) => count !== known.count)) return null;
  const root = toFolder([
    ...files.map((entry) => ({ entry, rest: entry.name })),
    ...covers().map(({ path, id }) => ({ entry: { mode: TREE_MODE, id }, rest: path })),
  ]);
  return countFolders(root) > MAX_FOLDERS ? null : written(store, root);
}

/** Of a merge that is not resolved, or only announced. */
export const isOutsideTrees = ({ stage, isAnnounced }: EntryGlance): boolean => stage !== 0 || isAnnounced;

/** The tree that git remembers for the whole index; null where it has to be written, or something is outside of trees. */
export const rememberedTree = ({ entries, count, known }: GitIndex): string | null =>
  known?.count === count && !entries.some(isOutsideTrees) ? known.id : null;

/** A folder that git remembers, and of how many files in it the index knows. */
type Cover = { readonly path: string; readonly id: string; readonly known: KnownTree; count: number };

type Place = { readonly known: KnownTree | undefined; readonly cover: Cover | null };

/** Which files lie in a folder that git remembers; these are counted, to be held against what git says. */
function coversBy(root: KnownTree | null) {
  const places = new Map<string, Place>([["", placed("", root ?? undefined)]]);
  function placeOf(folder: string): Place {
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

function placed(path: string, known: KnownTree | undefined): Place {
  const id = known?.id ?? null;
  return { known, cover: known === undefined || id === null ? null : { path, id, known, count: 0 } };
}

/** Files in folders that git remembers. */
function countKnown(known: KnownTree | null): number {
  if (known === null) return 0;
  if (known.id !== null) return known.count;
  return [...known.folders.values()].reduce((sum, inner) => sum + countKnown(inner), 0);
}

type Folder = {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly folders: ReadonlyMap<string, Folder>;
};

type PlacedIndexEntry = { readonly entry: TreeEntry; readonly rest: string };

function toFolder(placed: readonly PlacedIndexEntry[]): Folder {
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

const countFolders = ({ folders }: Folder): number =>
  [...folders.values()].reduce((sum, inner) => sum + countFolders(inner), 1);

async function written(store: TreeStore, folder: Folder): Promise<string> {
  const entries = new Map(folder.entries);
  for (const [name, inner] of folder.folders) entries.set(name, { mode: TREE_MODE, id: await written(store, inner) });
  return makeTree(store, entries);
}
