import type { TreeEntry } from "../write/tree-entry.ts";
import { makeTree, type TreeStore } from "./edit-tree.ts";
import type { EntryGlance, GitIndex, IndexEntry, KnownTree } from "./git-index.ts";
import { TREE_MODE } from "./tree-entries.ts";

/** More folders than this are written faster by git itself, which also remembers them. */
const MOST_FOLDERS = 100;

/** The tree that an index holds, as `git write-tree` has it; null where that is left to git. */
export async function treeOfIndex(store: TreeStore, index: GitIndex): Promise<string | null> {
  const { entries, known } = index;
  if (entries.some(isOutsideTrees)) return null;
  const remembered = rememberedTree(index);
  if (remembered !== null) return remembered;
  const root = folderOf(entries.map((entry) => ({ entry, rest: entry.name })));
  return countUnknown(root, known) > MOST_FOLDERS ? null : written(store, root, known);
}

/** Of a merge that is not resolved, or only announced. */
export const isOutsideTrees = ({ stage, isAnnounced }: EntryGlance): boolean => stage !== 0 || isAnnounced;

/** The tree that git remembers, where nothing is outside of trees; null where it has to be written. */
export const rememberedTree = ({ count, known }: GitIndex): string | null =>
  isKnown({ count }, known) ? known.id : null;

type Folder = {
  readonly files: ReadonlyMap<string, IndexEntry>;
  readonly folders: ReadonlyMap<string, Folder>;
  /** Of files in it and below. */
  readonly count: number;
};

type Placed = { readonly entry: IndexEntry; readonly rest: string };

function folderOf(placed: readonly Placed[]): Folder {
  const files = new Map<string, IndexEntry>();
  const inside = new Map<string, Placed[]>();
  for (const { entry, rest } of placed) {
    const slash = rest.indexOf("/");
    const name = slash === -1 ? rest : rest.slice(0, slash);
    if (slash === -1) files.set(name, entry);
    else {
      const below = inside.get(name) ?? [];
      below.push({ entry, rest: rest.slice(slash + 1) });
      inside.set(name, below);
    }
  }
  const folders = new Map([...inside].map(([name, below]) => [name, folderOf(below)]));
  return { files, folders, count: placed.length };
}

const isKnown = (
  folder: Pick<Folder, "count">,
  known: KnownTree | null | undefined,
): known is KnownTree & { readonly id: string } =>
  known?.id !== undefined && known.id !== null && known.count === folder.count;

function countUnknown(folder: Folder, known: KnownTree | null | undefined): number {
  if (isKnown(folder, known)) return 0;
  return [...folder.folders].reduce((sum, [name, inner]) => sum + countUnknown(inner, known?.folders.get(name)), 1);
}

async function written(store: TreeStore, folder: Folder, known: KnownTree | null | undefined): Promise<string> {
  if (isKnown(folder, known)) return known.id;
  const entries = new Map<string, TreeEntry>(folder.files);
  for (const [name, inner] of folder.folders)
    entries.set(name, { mode: TREE_MODE, id: await written(store, inner, known?.folders.get(name)) });
  return makeTree(store, entries);
}
