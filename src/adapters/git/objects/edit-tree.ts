import type { Conversation } from "../process/git-conversation.ts";
import { encodePath } from "../process/git-path.ts";
import { gitFailed } from "../process/run-git.ts";
import type { GitObjects } from "./git-objects.ts";
import {
  readTreeEntries,
  fileIn,
  TREE_MODE,
  type TreeEntries,
  treeIn,
  GONE,
  SUBMODULE,
  type TreeEntry,
} from "./tree-entries.ts";

export type TreeStore = { readonly objects: GitObjects; readonly makeTree: Conversation };

/**
 * Writes a tree with the given entries; those with mode `GONE` are removed. Folders that become empty are removed.
 * @throws ProblemError GIT_FAILED if a path would be both a file and a folder.
 */
export async function editTree(
  store: TreeStore,
  base: string | null,
  entries: ReadonlyMap<string, TreeEntry>,
): Promise<string> {
  const edits = new Map([...entries].map(([path, entry]) => [encodePath(path).toString("latin1"), entry]));
  const edited = await editFolder(store, { folder: "", held: await readTreeEntries(store.objects, base), edits });
  return edited ?? (await makeTree(store, new Map()));
}

type FolderEdit = {
  /** With a trailing slash; empty for the root. */
  readonly folder: string;
  readonly held: TreeEntries;
  /** Paths under the folder, as bytes in latin1. */
  readonly edits: ReadonlyMap<string, TreeEntry>;
};

/** Returns null if the folder becomes empty. */
async function editFolder(store: TreeStore, { folder, held, edits }: FolderEdit): Promise<string | null> {
  const entries = new Map(held);
  const changed = await Promise.all(
    [...byName(edits)].map(async ([name, edit]) => {
      const entry = await edited(store, { path: `${folder}${name}`, held: held.get(name), edit });
      return { name, entry };
    }),
  );
  for (const { name, entry } of changed) {
    if (entry === null) entries.delete(name);
    else entries.set(name, entry);
  }
  return entries.size === 0 ? null : makeTree(store, entries);
}

/** Edits of one name: as a file, and under it as a folder. */
type TreeEdit = { readonly own: TreeEntry | undefined; readonly below: ReadonlyMap<string, TreeEntry> };

function byName(edits: ReadonlyMap<string, TreeEntry>): ReadonlyMap<string, TreeEdit> {
  const below = new Map<string, Map<string, TreeEntry>>();
  for (const [path, entry] of edits) {
    const [name = "", ...rest] = path.split("/");
    const inside = below.get(name) ?? new Map<string, TreeEntry>();
    if (rest.length > 0) inside.set(rest.join("/"), entry);
    below.set(name, inside);
  }
  return new Map([...below].map(([name, inside]) => [name, { own: edits.get(name), below: inside }]));
}

type EntryEdit = { readonly path: string; readonly held: TreeEntry | undefined; readonly edit: TreeEdit };

async function edited(store: TreeStore, { path, held, edit }: EntryEdit): Promise<TreeEntry | null> {
  const own = edit.own ?? held;
  const file = own?.mode === GONE ? null : fileIn(own);
  const before = treeIn(held);
  const tree = edit.below.size === 0 ? before : await editInside(before);
  if (file !== null && tree !== null)
    throw gitFailed("mktree", `${JSON.stringify(path)} would be both a file and a folder`);
  return file ?? (tree === null ? null : { mode: TREE_MODE, id: tree });

  async function editInside(tree: string | null): Promise<string | null> {
    const inside = await readTreeEntries(store.objects, tree);
    return editFolder(store, { folder: `${path}/`, held: inside, edits: edit.below });
  }
}

/** Writes one tree object. Git sorts the entries and checks that their objects exist. */
export function makeTree({ makeTree }: TreeStore, entries: TreeEntries): Promise<string> {
  const lines = [...entries].map(([name, { mode, id }]) => `${mode} ${objectType(mode)} ${id}\t${name}\0`);
  return makeTree.ask(Buffer.from(`${lines.join("")}\0`, "latin1"), (answers) => answers.line());
}

function objectType(mode: string): string {
  if (mode === TREE_MODE) return "tree";
  return mode === SUBMODULE ? "commit" : "blob";
}
