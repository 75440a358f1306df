import { fileIn, treeIn, type TreeEntries, type TreeEntry } from "../git/objects/tree-entries.ts";
import type { Git } from "../git/process/git.ts";
import { type ObjectMap, parseWellFormedTree, readObjects } from "./verified-objects.ts";

export type EntryDifference = {
  /** Bytes in latin1. */
  readonly path: string;
  /** Null if missing. */
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
};

type FolderPair = { readonly prefix: string; readonly before: string | null; readonly after: string | null };

/** Lists the files that differ between two trees, from objects with verified ids. Null if an object is missing. */
export async function diffTrees(git: Git, from: string, to: string): Promise<readonly EntryDifference[] | null> {
  const found: EntryDifference[] = [];
  let pairs: readonly FolderPair[] = from === to ? [] : [{ prefix: "", before: from, after: to }];
  while (pairs.length > 0) {
    const ids = pairs.flatMap(({ before, after }) => [before, after]).filter((id) => id !== null);
    const objects = await readObjects(git, ids);
    const compared = pairs.map((pair) => comparePair(objects, pair));
    if (compared.some((entries) => entries === null)) return null;
    const entries = compared.flatMap((one) => one ?? []);
    found.push(...entries.flatMap(listFiles));
    pairs = entries.flatMap(listFolders);
  }
  return found;
}

/** Lists the entries that differ, including folders. Null if a tree is missing or malformed. */
function comparePair(objects: ObjectMap, { prefix, before, after }: FolderPair): EntryDifference[] | null {
  const [old, now] = [readEntries(objects, before), readEntries(objects, after)];
  if (old === null || now === null) return null;
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [one = null, other = null] = [old.get(name), now.get(name)];
    const isSame = one?.id === other?.id && one?.mode === other?.mode;
    return isSame ? [] : [{ path: `${prefix}${name}`, before: one, after: other }];
  });
}

function readEntries(objects: ObjectMap, id: string | null): TreeEntries | null {
  if (id === null) return new Map();
  const object = objects.get(id);
  return object?.type === "tree" ? parseWellFormedTree(object.content, id.length / 2) : null;
}

function listFiles({ path, before, after }: EntryDifference): EntryDifference[] {
  const [old, now] = [fileIn(before ?? undefined), fileIn(after ?? undefined)];
  return old === null && now === null ? [] : [{ path, before: old, after: now }];
}

function listFolders({ path, before, after }: EntryDifference): FolderPair[] {
  const [old, now] = [treeIn(before ?? undefined), treeIn(after ?? undefined)];
  return old === null && now === null ? [] : [{ prefix: `${path}/`, before: old, after: now }];
}
