import { encodePath } from "../process/git-path.ts";
import { gitFailed } from "../process/run-git.ts";
import type { GitObjects } from "./git-objects.ts";

export const TREE_MODE = "40000";

/** Entries by name. Names are bytes in latin1, which preserves any name. */
export type TreeEntries = ReadonlyMap<string, TreeEntry>;

/**
 * Reads the entries of a tree or of a commit's tree; none for null.
 * @throws ProblemError GIT_FAILED if the tree is missing or malformed.
 */
export async function readTreeEntries(objects: GitObjects, id: string | null): Promise<TreeEntries> {
  const entries = parseTree(await treeContent(objects, id), (id ?? "").length / 2);
  if (entries === null) throw malformedTree(id);
  return entries;
}

/**
 * Reads the bytes of a tree or of a commit's tree; none for null.
 * @throws ProblemError GIT_FAILED if the tree is missing.
 */
export async function treeContent(objects: GitObjects, id: string | null): Promise<Buffer> {
  if (id === null) return Buffer.alloc(0);
  const object = await objects.read(id);
  if (object?.type === "commit") return treeContent(objects, parseTreeId(object.content, id));
  if (object?.type !== "tree") throw gitFailed("cat-file", `the tree ${id} is not in the repository`);
  return object.content;
}

export const malformedTree = (id: string | null): Error => gitFailed("cat-file", `the tree ${id} is malformed`);

/** Returns the entry at a path, if the tree has one. */
export async function entryAt(objects: GitObjects, tree: string, path: string): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined = { mode: TREE_MODE, id: tree };
  for (const name of encodePath(path).toString("latin1").split("/")) {
    const folder = treeIn(entry);
    if (folder === null) return undefined;
    entry = (await readTreeEntries(objects, folder)).get(name);
  }
  return entry;
}

/** Returns the tree of a commit, or the tree itself; null if the repository does not have the object. */
export async function readTreeId(objects: GitObjects, id: string): Promise<string | null> {
  const object = await objects.read(id);
  if (object === null) return null;
  return object.type === "commit" ? parseTreeId(object.content, id) : id;
}

function parseTreeId(commit: Buffer, id: string): string {
  const tree = /^tree ([0-9a-f]+)\n/.exec(commit.toString("latin1", 0, 80))?.[1];
  if (tree === undefined) throw gitFailed("cat-file", `the commit ${id} names no tree`);
  return tree;
}

/** Returns null for a malformed tree: any program with write access to objects can create one. */
export function parseTree(tree: Buffer, idBytes: number): TreeEntries | null {
  const entries = new Map<string, TreeEntry>();
  for (let start = 0; start < tree.length;) {
    const read = readEntry(tree, start, idBytes);
    if (read === null) return null;
    entries.set(read.name, read.entry);
    start = read.end;
  }
  return entries;
}

export type PlacedEntry = {
  /** Bytes in latin1. */
  readonly name: string;
  readonly entry: TreeEntry;
  /** Offset of the next entry. */
  readonly end: number;
};

/** Reads an entry `<mode> <name> NUL <id>`, with the id as raw bytes. Returns null for anything else. */
export function readEntry(tree: Buffer, start: number, idBytes: number): PlacedEntry | null {
  const space = tree.indexOf(0x20, start);
  const nameEnd = space === -1 ? -1 : tree.indexOf(0, space);
  const end = nameEnd + 1 + idBytes;
  if (nameEnd === -1 || end > tree.length) return null;
  const entry = { mode: tree.toString("latin1", start, space), id: tree.toString("hex", nameEnd + 1, end) };
  return { name: tree.toString("latin1", space + 1, nameEnd), entry, end };
}

/** Returns the tree id if the entry is a folder. */
export const treeIn = (entry: TreeEntry | undefined): string | null => (entry?.mode === TREE_MODE ? entry.id : null);

/** Returns the entry if it is a file, link or submodule. */
export const fileIn = (entry: TreeEntry | undefined): TreeEntry | null =>
  entry === undefined || entry.mode === TREE_MODE ? null : entry;

/** One file of a tree, in the form of `update-index --index-info`. */
export type TreeEntry = { readonly mode: string; readonly id: string };

/** Mode of a file that is not in a tree. */
export const GONE = "000000";

/** Mode of a repository inside the tree, which contains only its commit id. */
export const SUBMODULE = "160000";
