import { join } from "node:path";
import type { ComposeRequest, Composed, EditedDocuments } from "../../../ports/vcs.ts";
import { type Git, hardenedGit, must } from "../process/git.ts";
import { decodePath, encodePath, isTreePath, isUnder, splitFields } from "../process/git-path.ts";
import { inTemporaryFolder } from "../../file-system/temporary-folder.ts";
import type { Repository } from "../read/repository.ts";
import { ignoredOf } from "../snapshot/ignored.ts";
import { cleanBlobs } from "./clean-blobs.ts";
import { editDocuments } from "./edit-documents.ts";
import { mergeBlobs } from "./merge-blobs.ts";
import { GONE, type TreeEntry } from "./tree-entry.ts";

const INNER_REPOSITORY = "160000";

type Difference = { readonly path: string; readonly before: TreeEntry; readonly after: TreeEntry };

/**
 * The tree that a commit with the accepted changes has: what is different between two snapshots, put onto a commit.
 * Reads objects only, never the working tree. Lines that were uncommitted in the first snapshot stay out.
 */
export async function composeTree(repository: Repository, request: ComposeRequest): Promise<Composed> {
  const git = hardenedGit(repository.top);
  const { onto, from, to } = request;
  const changes = await countingChanges(git, request, await differences(git, from, to));
  const uncommitted = onto === null || changes.length === 0 ? [] : await differences(git, onto, from);
  const held = new Map(uncommitted.map(({ path, before }) => [path, before]));
  const entries = new Map<string, TreeEntry>();
  const mixed: string[] = [];
  for (const change of changes) {
    const committed = held.get(change.path);
    const merged = committed === undefined ? change.after : await mergeBlobs(git, { ...change, committed });
    if (merged === null) mixed.push(change.path);
    entries.set(change.path, merged ?? change.after);
  }
  for (const { path, after } of await alsoTaken(git, request)) entries.set(path, after);
  const { entries: cleaned, unfiltered } = await cleanBlobs(repository, entries);
  const tree = await written(git, { onto, to, entries: cleaned, documents: request.documents });
  return { tree, mixed, unfiltered };
}

async function differences(git: Git, from: string, to: string): Promise<Difference[]> {
  if (from === to) return [];
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--full-index", "--no-ext-diff", "--no-textconv"];
  const fields = splitFields(await must(git([...args, from, to], { timeoutMs: 30_000 }), "diff-tree"));
  const found: Difference[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [head, path] = [fields[at]?.toString("latin1") ?? "", fields[at + 1]];
    const [, old = "", mode = "", was = "", id = ""] = /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(head) ?? [];
    if (path) found.push({ path: decodePath(path), before: { mode: old, id: was }, after: { mode, id } });
  }
  return found;
}

/** Our own folder is never committed, nor what is ignored, nor a repository that somebody put into the tree. */
async function countingChanges(
  git: Git,
  { only, include }: ComposeRequest,
  changes: readonly Difference[],
): Promise<Difference[]> {
  const wanted = changes.filter(
    ({ path, before, after }) =>
      isTreePath(path) &&
      !isUnder(path, ".isdlc") &&
      (only === undefined || only.some((chosen) => isUnder(path, chosen))) &&
      !(after.mode === INNER_REPOSITORY && before.mode !== INNER_REPOSITORY),
  );
  const doubtful = wanted.filter(
    ({ path, before }) => before.mode === GONE && include.some((folder) => isUnder(path, folder)),
  );
  const ignored = await ignoredOf(
    git,
    doubtful.map(({ path }) => path),
  );
  return wanted.filter(({ path }) => !ignored.has(path));
}

/** Folders that belong to the work as they are, whenever their files were written. */
async function alsoTaken(git: Git, request: ComposeRequest): Promise<Difference[]> {
  const { onto, to, also, documents } = request;
  if (also === undefined || also.length === 0 || onto === null) return [];
  const found = await countingChanges(git, { ...request, only: also, include: also }, await differences(git, onto, to));
  return found.filter(({ path }) => documents?.paths.includes(path) !== true); // those are edited where they are
}

type Writing = {
  readonly onto: string | null;
  readonly to: string;
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly documents: EditedDocuments | undefined;
};

function written(git: Git, { onto, to, entries, documents }: Writing): Promise<string> {
  return inTemporaryFolder(async (folder) => {
    const environment = { GIT_INDEX_FILE: join(folder, "index") };
    if (onto !== null) await must(git(["read-tree", onto], { environment, timeoutMs: 30_000 }), "read-tree");
    await update(git, environment, entries);
    if (documents !== undefined)
      await update(git, environment, await editDocuments(git, { folder, environment, to, documents }));
    const tree = await must(git(["write-tree"], { environment, timeoutMs: 30_000 }), "write-tree");
    return tree.toString("latin1").trim();
  });
}

async function update(
  git: Git,
  environment: Readonly<Record<string, string>>,
  entries: ReadonlyMap<string, TreeEntry>,
): Promise<void> {
  if (entries.size === 0) return;
  const isGone = ([, { mode }]: readonly [string, TreeEntry]): boolean => mode === GONE;
  // What leaves comes first: a file may take the place of a folder.
  const inOrder = [...[...entries].filter(isGone), ...[...entries].filter((entry) => !isGone(entry))];
  const lines = inOrder.flatMap(([path, { mode, id }]) => [
    Buffer.from(`${mode === GONE ? "0" : mode} ${id}\t`),
    encodePath(path),
    Buffer.from([0]),
  ]);
  const input = Buffer.concat(lines);
  await must(git(["update-index", "-z", "--index-info"], { environment, input }), "update-index");
}
