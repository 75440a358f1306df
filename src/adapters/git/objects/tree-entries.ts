import { encodePath } from "../process/git-path.ts";
import { gitFailed } from "../process/run-git.ts";
import type { TreeEntry } from "../write/tree-entry.ts";
import type { GitObjects } from "./git-objects.ts";

export const TREE_MODE = "40000";

/** Name of an entry, as bytes in latin1 so that any name is kept, and what it is. */
export type TreeEntries = ReadonlyMap<string, TreeEntry>;

/** The entries of a tree, or of a commit's; none for null. @throws ProblemError GIT_FAILED where it is not there. */
export async function entriesOf(objects: GitObjects, id: string | null): Promise<TreeEntries> {
  if (id === null) return new Map();
  const object = await objects.read(id);
  if (object?.type === "commit") return entriesOf(objects, treeOf(object.content, id));
  if (object?.type !== "tree") throw gitFailed("cat-file", `the tree ${id} is not in the repository`);
  const entries = parseTree(object.content, id.length / 2);
  if (entries === null) throw gitFailed("cat-file", `the tree ${id} is malformed`);
  return entries;
}

/** What a tree has at a path; undefined where it has nothing there. */
export async function entryAt(objects: GitObjects, tree: string, path: string): Promise<TreeEntry | undefined> {
  let entry: TreeEntry | undefined = { mode: TREE_MODE, id: tree };
  for (const name of encodePath(path).toString("latin1").split("/")) {
    const folder = treeIn(entry);
    if (folder === null) return undefined;
    entry = (await entriesOf(objects, folder)).get(name);
  }
  return entry;
}

/** The tree of a commit, or the tree itself; null where the repository does not have it. */
export async function treeIdOf(objects: GitObjects, id: string): Promise<string | null> {
  const object = await objects.read(id);
  if (object === null) return null;
  return object.type === "commit" ? treeOf(object.content, id) : id;
}

function treeOf(commit: Buffer, id: string): string {
  const tree = /^tree ([0-9a-f]+)\n/.exec(commit.toString("latin1", 0, 80))?.[1];
  if (tree === undefined) throw gitFailed("cat-file", `the commit ${id} names no tree`);
  return tree;
}

/** Entries are `<mode> <name> NUL <id>`, the id as raw bytes. Null for anything else: whoever can write objects can write that. */
export function parseTree(tree: Buffer, idBytes: number): TreeEntries | null {
  const entries = new Map<string, TreeEntry>();
  for (let start = 0; start < tree.length;) {
    const space = tree.indexOf(0x20, start);
    const end = space === -1 ? -1 : tree.indexOf(0, space);
    if (end === -1 || end + idBytes >= tree.length) return null;
    const mode = tree.toString("latin1", start, space);
    entries.set(tree.toString("latin1", space + 1, end), {
      mode,
      id: tree.toString("hex", end + 1, end + 1 + idBytes),
    });
    start = end + 1 + idBytes;
  }
  return entries;
}

/** The folder that an entry is, or none. */
export const treeIn = (entry: TreeEntry | undefined): string | null => (entry?.mode === TREE_MODE ? entry.id : null);

/** The file, link or repository that an entry is, or none. */
export const fileIn = (entry: TreeEntry | undefined): TreeEntry | null =>
  entry === undefined || entry.mode === TREE_MODE ? null : entry;
