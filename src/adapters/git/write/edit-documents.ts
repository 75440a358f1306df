import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { EditedDocuments } from "../../../ports/vcs.ts";
import type { GitObjects } from "../objects/git-objects.ts";
import { entryAt, GONE, type TreeEntry } from "../objects/tree-entries.ts";
import type { RepositoryStore, ObjectWriter } from "../snapshot/repository-store.ts";
import { isTreePath } from "../process/git-path.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import { type IgnoreRules, findIgnored } from "../snapshot/ignored.ts";
type Entries = ReadonlyMap<string, TreeEntry>;

type DocumentEdits = {
  readonly store: RepositoryStore;
  /** Tree with the documents to edit. */
  readonly tree: string;
  /** Source of documents that the tree does not have yet. */
  readonly to: string;
  readonly documents: EditedDocuments;
};

/** Lets the engine edit its documents in a temporary folder, as the tree has them. Returns the entries to write. */
export async function editDocuments({ store, tree, to, documents }: DocumentEdits): Promise<Entries> {
  const { objects, write } = store;
  const paths = await countingPaths(store.ignores, documents.paths.filter(isTreePath));
  if (paths.length === 0) return new Map();
  const inTree = await filesAt(objects, tree, paths);
  const missing = paths.filter((path) => !inTree.has(path));
  const uncommitted = await filesAt(objects, to, missing);
  const held = new Map([...inTree, ...uncommitted]);
  const contents = await readContents(objects, held);
  const edited = await inTemporaryFolder((room) => edit({ write, room, paths, held, contents, documents }));
  return new Map([...uncommitted, ...edited]);
}

type Room = {
  readonly write: ObjectWriter;
  readonly room: string;
  readonly paths: readonly string[];
  readonly held: Entries;
  readonly contents: ReadonlyMap<string, Buffer>;
  readonly documents: EditedDocuments;
};

async function edit({ write, room, paths, held, contents, documents }: Room): Promise<Entries> {
  for (const path of paths) {
    await mkdir(dirname(join(room, path)), { recursive: true });
    const content = contents.get(held.get(path)?.id ?? "");
    if (content !== undefined) await writeFile(join(room, path), content);
  }
  await documents.edit(room);
  const after = await Promise.all(paths.map((path) => readFile(join(room, path)).catch(() => null))); // null: no such file
  const isOther = (path: string, content: Buffer | null): content is Buffer =>
    content !== null && contents.get(held.get(path)?.id ?? "")?.equals(content) !== true;
  const changed = paths.filter((path, at) => isOther(path, after[at] ?? null));
  const ids: string[] = [];
  for (const path of changed) ids.push(await write.fileAsBlob(join(room, path)));
  const written = changed.map((path, at): [string, TreeEntry] => [
    path,
    { mode: held.get(path)?.mode ?? "100644", id: ids[at] ?? "" },
  ]);
  const gone = paths
    .filter((path, at) => after[at] === null && held.has(path))
    .map((path): [string, TreeEntry] => [path, { mode: GONE, id: "0".repeat(held.get(path)?.id.length ?? 0) }]);
  return new Map([...written, ...gone]);
}

/** Drops documents ignored by the user's rules: they are written but not committed. */
async function countingPaths(ignores: IgnoreRules, paths: readonly string[]): Promise<string[]> {
  const ignored = await findIgnored(ignores, paths);
  return paths.filter((path) => !ignored.has(path));
}

/** Returns the regular files of a tree at these paths. */
async function filesAt(objects: GitObjects, tree: string, paths: readonly string[]): Promise<Entries> {
  const found = new Map<string, TreeEntry>();
  for (const path of paths) {
    const entry = await entryAt(objects, tree, path);
    if (entry?.mode.startsWith("100")) found.set(path, entry);
  }
  return found;
}

async function readContents(objects: GitObjects, held: Entries): Promise<ReadonlyMap<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for (const { id } of held.values()) {
    const blob = await objects.read(id);
    if (blob !== null) contents.set(id, blob.content);
  }
  return contents;
}
