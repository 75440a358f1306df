import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { EditedDocuments } from "../../../ports/vcs.ts";
import { type Git, must } from "../process/git.ts";
import { decodePath, isTreePath, splitFields } from "../process/git-path.ts";
import { ignoredOf } from "../snapshot/ignored.ts";
import { isObjectId } from "../snapshot/ref-name.ts";
import { objectsOfBatch } from "../snapshot/tree-object.ts";
import { GONE, type TreeEntry } from "./tree-entry.ts";

type Editing = {
  /** A folder of our own. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where a document is taken from that is not in the index yet. */
  readonly to: string;
  readonly documents: EditedDocuments;
};

/** Lets the engine write its documents in a folder of their own, as the index has them; gives those that are to be written. */
export async function editDocuments(
  git: Git,
  { folder, environment, to, documents }: Editing,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const room = join(folder, "documents");
  const paths = await countingPaths(git, documents.paths.filter(isTreePath));
  if (paths.length === 0) return new Map();
  const inIndex = await entriesOf(git, ["ls-files", "--stage"], { environment, paths });
  const missing = paths.filter((path) => !inIndex.has(path));
  const uncommitted = await entriesOf(git, ["ls-tree", "--full-tree", to], { environment, paths: missing });
  const held = new Map([...inIndex, ...uncommitted]);
  const contents = await blobsOf(git, [...held.values()]);
  for (const path of paths) {
    await mkdir(dirname(join(room, path)), { recursive: true });
    const content = contents.get(held.get(path)?.id ?? "");
    if (content !== undefined) await writeFile(join(room, path), content);
  }
  await documents.edit(room);
  const after = await Promise.all(paths.map((path) => readFile(join(room, path)).catch(() => null))); // null: none there
  const isOther = (path: string, content: Buffer | null): content is Buffer =>
    content !== null && contents.get(held.get(path)?.id ?? "")?.equals(content) !== true;
  const changed = paths.filter((path, at) => isOther(path, after[at] ?? null));
  const ids = await stored(
    git,
    changed.map((path) => join(room, path)),
  );
  const written = changed.map((path, at): [string, TreeEntry] => [
    path,
    { mode: held.get(path)?.mode ?? "100644", id: ids[at] ?? "" },
  ]);
  const gone = paths
    .filter((path, at) => after[at] === null && held.has(path))
    .map((path): [string, TreeEntry] => [path, { mode: GONE, id: "0".repeat(held.get(path)?.id.length ?? 0) }]);
  return new Map([...uncommitted, ...written, ...gone]);
}

/** A document that the person has git ignore is written and not committed. */
async function countingPaths(git: Git, paths: readonly string[]): Promise<string[]> {
  const ignored = await ignoredOf(git, paths);
  return paths.filter((path) => !ignored.has(path));
}

type Listing = { readonly environment: Readonly<Record<string, string>>; readonly paths: readonly string[] };

async function entriesOf(
  git: Git,
  list: readonly string[],
  { environment, paths }: Listing,
): Promise<ReadonlyMap<string, TreeEntry>> {
  if (paths.length === 0) return new Map();
  const [command = "", ...rest] = list;
  const args = ["--literal-pathspecs", command, "-z", ...rest, "--", ...paths];
  const fields = splitFields(await must(git(args, { environment }), command));
  const entries = fields.flatMap((field): [string, TreeEntry][] => {
    const tab = field.indexOf(0x09);
    const [mode = "", ...ids] = field.toString("latin1", 0, tab).split(" ");
    const id = ids.find(isObjectId);
    return mode.startsWith("100") && id !== undefined ? [[decodePath(field.subarray(tab + 1)), { mode, id }]] : [];
  });
  return new Map(entries.filter(([path]) => paths.includes(path)));
}

async function blobsOf(git: Git, entries: readonly TreeEntry[]): Promise<ReadonlyMap<string, Buffer>> {
  if (entries.length === 0) return new Map();
  const input = Buffer.from(entries.map(({ id }) => `${id}\n`).join(""));
  const output = await must(git(["cat-file", "--batch"], { input }), "cat-file");
  return new Map([...objectsOfBatch(output)].map(({ id, content }) => [id, content]));
}

async function stored(git: Git, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const input = Buffer.from(files.map((file) => `${file}\n`).join(""));
  const ids = await must(git(["hash-object", "-w", "--no-filters", "--stdin-paths"], { input }), "hash-object");
  return ids.toString("latin1").trim().split("\n");
}
