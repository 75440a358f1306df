import { decodePath } from "../process/git-path.ts";
import type { GitObjects } from "./git-objects.ts";
import {
  fileIn,
  malformedTree,
  treeContent,
  treeIn,
  type PlacedEntry,
  readEntry,
  TREE_MODE,
  type TreeEntries,
  GONE,
  type TreeEntry,
} from "./tree-entries.ts";

export type Difference = { readonly path: string; readonly before: TreeEntry; readonly after: TreeEntry };

/**
 * Lists the files that differ between two trees (or the trees of two commits), in the order of git's index. Reads only
 * differing folders; null is an empty tree. A file replaced by a folder is listed as deleted, and the files in the
 * folder as added.
 */
export async function treeDifferences(objects: GitObjects, from: string | null, to: string): Promise<Difference[]> {
  if (from === to) return [];
  const found: { readonly bytes: string; readonly difference: Difference }[] = [];
  await compare({ before: from, after: to }, "");
  return found.toSorted((one, other) => (one.bytes < other.bytes ? -1 : 1)).map(({ difference }) => difference);

  async function compare(ends: TreeEnds, folder: string): Promise<void> {
    const { before, after } = await differingIn(objects, ends);
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)];
      if (was !== undefined && is !== undefined && was.id === is.id && was.mode === is.mode) continue;
      const [wasTree, isTree] = [treeIn(was), treeIn(is)];
      if (wasTree !== null || isTree !== null) await compare({ before: wasTree, after: isTree }, `${folder}${name}/`);
      tell(`${folder}${name}`, fileIn(was), fileIn(is));
    }
  }

  function tell(bytes: string, was: TreeEntry | null, is: TreeEntry | null): void {
    const gone = { mode: GONE, id: "0".repeat((is ?? was)?.id.length ?? 0) };
    if (was === null && is === null) return;
    const path = decodePath(Buffer.from(bytes, "latin1"));
    found.push({ bytes, difference: { path, before: was ?? gone, after: is ?? gone } });
  }
}

type TreeEnds = { readonly before: string | null; readonly after: string | null };

async function differingIn(objects: GitObjects, { before, after }: TreeEnds): Promise<DifferingEntries> {
  const idBytes = (before ?? after ?? "").length / 2;
  const trees = { before: await treeContent(objects, before), after: await treeContent(objects, after), idBytes };
  const differing = differingEntries(trees);
  if (differing === null) throw malformedTree(`${before} or ${after}`);
  return differing;
}

/** Entries of two folders without an identical entry in the other one. */
type DifferingEntries = { readonly before: TreeEntries; readonly after: TreeEntries };

/** Two tree objects, and the length of their ids in bytes. */
type TreeObjects = { readonly before: Buffer; readonly after: Buffer; readonly idBytes: number };

/**
 * Compares two tree objects as bytes, to parse only differing entries of a large folder. In any order of entries, an
 * entry is skipped only together with an identical entry of the other tree. Returns null if a tree is malformed.
 */
export function differingEntries(trees: TreeObjects): DifferingEntries | null {
  const { before, after, idBytes } = trees;
  const differing = { before: new Map<string, TreeEntry>(), after: new Map<string, TreeEntry>() };
  const at = { before: 0, after: 0 };
  while (at.before < before.length || at.after < after.length) {
    const same = lengthOfSame(trees, at);
    at.before += same;
    at.after += same;
    if (same > 0) continue;
    const was = at.before < before.length ? readEntry(before, at.before, idBytes) : END;
    const is = at.after < after.length ? readEntry(after, at.after, idBytes) : END;
    if (was === null || is === null) return null;
    const [wasPlace, isPlace] = [sortKey(was), sortKey(is)];
    if (wasPlace <= isPlace) {
      differing.before.set(was.name, was.entry);
      at.before = was.end;
    }
    if (isPlace <= wasPlace) {
      differing.after.set(is.name, is.entry);
      at.after = is.end;
    }
  }
  return differing;
}

/** Sorts after every name, because names are bytes in latin1. */
const END: PlacedEntry = { name: "\uffff", entry: { mode: "", id: "" }, end: 0 };

/** Git sorts a folder by its name with a trailing slash. */
const sortKey = ({ name, entry }: PlacedEntry): string => (entry.mode === TREE_MODE ? `${name}/` : name);

type Position = { readonly before: number; readonly after: number };

/** Returns the length of the next entry in bytes, or 0 if the trees differ there. */
function lengthOfSame({ before, after, idBytes }: TreeObjects, at: Position): number {
  let length = 0;
  for (let byte: number | undefined = -1; byte !== 0; length++) {
    byte = before[at.before + length];
    if (byte === undefined || byte !== after[at.after + length]) return 0;
  }
  for (const end = length + idBytes; length < end; length++) {
    const byte = before[at.before + length];
    if (byte === undefined || byte !== after[at.after + length]) return 0;
  }
  return length;
}
