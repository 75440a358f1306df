import type { TreeEntry } from "../write/tree-entry.ts";
import { type PlacedEntry, readEntry, TREE_MODE, type TreeEntries } from "./tree-entries.ts";

/** Entries of two folders without an identical entry in the other one. */
export type DifferingEntries = { readonly before: TreeEntries; readonly after: TreeEntries };

/** Two tree objects, and the length of their ids in bytes. */
export type TreeObjects = { readonly before: Buffer; readonly after: Buffer; readonly idBytes: number };

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
