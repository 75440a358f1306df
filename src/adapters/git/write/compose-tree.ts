import { OWN_FOLDER } from "../../../core/own-folder.ts";
import type { ComposeRequest, ComposedTree, EditedDocuments } from "../../../ports/vcs.ts";
import { editTree } from "../objects/edit-tree.ts";
import { repositoryStore, type RepositoryStore } from "../snapshot/repository-store.ts";
import { type Difference, treeDifferences } from "../objects/tree-differences.ts";
import { hardenedGit, type Git, must } from "../process/git.ts";
import { isTreePath, isUnder, splitFields } from "../process/git-path.ts";
import type { Repository } from "../read/repository.ts";
import { findIgnored } from "../snapshot/ignored.ts";
import { editDocuments } from "./edit-documents.ts";
import { GONE, SUBMODULE, type TreeEntry } from "../objects/tree-entries.ts";
import { mergeBlobs } from "./merge-attempt.ts";
import { personalGit } from "../read/personal-git.ts";
import { repositoryPrograms } from "../read/repository-programs.ts";

/**
 * Composes the tree of a commit with the accepted changes: applies the difference between two snapshots to a commit.
 * Reads only objects, never the working tree. Lines that were uncommitted in the first snapshot are left out. A file
 * where they cannot be separated keeps its committed content, unless it is in an included folder or the user agreed to
 * commit both.
 */
export async function composeTree(repository: Repository, request: ComposeRequest): Promise<ComposedTree> {
  const git = hardenedGit(repository.top, repository.env);
  const store = repositoryStore(repository);
  const { onto, from, to, together = [] } = request;
  const changes = await countingChanges(store, request, await treeDifferences(store.objects, from, to));
  const uncommitted = onto === null || changes.length === 0 ? [] : await treeDifferences(store.objects, onto, from);
  const wasCommitted = await committedAtReturn(store, request);
  const held = new Map(uncommitted.filter(({ path }) => !wasCommitted(path)).map(({ path, before }) => [path, before]));
  const entries = new Map<string, TreeEntry>();
  const mixed: string[] = [];
  for (const change of changes) {
    const committed = held.get(change.path);
    const merged = committed === undefined ? change.after : await mergeBlobs(git, { ...change, committed });
    const isOfWork = isBelow(request.include, change.path);
    if (merged === null && !isOfWork) mixed.push(change.path);
    if (merged !== null) entries.set(change.path, merged);
    else if (isOfWork || together.includes(change.path)) entries.set(change.path, change.after);
  }
  for (const { path, after } of await alsoTaken(store, request)) entries.set(path, after);
  const { entries: cleaned, unfiltered } = await cleanBlobs(repository, entries);
  const tree = await written(store, { onto, to, entries: cleaned, documents: request.documents });
  return { tree, mixed, unfiltered };
}

/**
 * Returns a test: true if a file had its committed content when the run returned to the phase. Always false if it did
 * not return.
 */
async function committedAtReturn(store: RepositoryStore, { onto, returned = null }: ComposeRequest) {
  if (onto === null || returned === null) return () => false;
  const differing = new Set((await treeDifferences(store.objects, onto, returned)).map(({ path }) => path));
  return (path: string): boolean => !differing.has(path);
}

const isBelow = (folders: readonly string[], path: string): boolean => folders.some((folder) => isUnder(path, folder));

/** Drops changes that are never committed: under `.isdlc`, ignored files, and repositories added inside the tree. */
async function countingChanges(
  { ignores }: RepositoryStore,
  { only, include }: ComposeRequest,
  changes: readonly Difference[],
): Promise<Difference[]> {
  const wanted = changes.filter(
    ({ path, before, after }) =>
      isTreePath(path) &&
      !isUnder(path, OWN_FOLDER) &&
      (only === undefined || isBelow(only, path)) &&
      !(after.mode === SUBMODULE && before.mode !== SUBMODULE),
  );
  const doubtful = wanted.filter(({ path, before }) => before.mode === GONE && isBelow(include, path));
  const ignored = await findIgnored(
    ignores,
    doubtful.map(({ path }) => path),
  );
  return wanted.filter(({ path }) => !ignored.has(path));
}

/** Lists changes in folders that always belong to the work, at any time of writing. */
async function alsoTaken(store: RepositoryStore, request: ComposeRequest): Promise<Difference[]> {
  const { onto, to, also, documents } = request;
  if (also === undefined || also.length === 0 || onto === null) return [];
  const taken = { ...request, only: also, include: also };
  const found = await countingChanges(store, taken, await treeDifferences(store.objects, onto, to));
  return found.filter(({ path }) => documents?.paths.includes(path) !== true); // edited by `editDocuments`
}

type TreeComposition = {
  readonly onto: string | null;
  readonly to: string;
  readonly entries: ReadonlyMap<string, TreeEntry>;
  readonly documents: EditedDocuments | undefined;
};

async function written(store: RepositoryStore, { onto, to, entries, documents }: TreeComposition): Promise<string> {
  const tree = await editTree(store, onto, entries);
  if (documents === undefined) return tree;
  return editTree(store, tree, await editDocuments({ store, tree, to, documents }));
}

type CleanedBlobs = {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** Files whose filter only the repository's own settings name, without approval: they stay unfiltered. */
  readonly unfiltered: readonly string[];
};

/**
 * Applies the user's filters (such as LFS): snapshots contain files as they are in the working tree, commits contain
 * filtered files. The input of a filter is read from the snapshot, not from the working tree. Filters named only by
 * this repository run only if a person agreed to them, because an agent may have written its settings.
 */
async function cleanBlobs(repository: Repository, entries: ReadonlyMap<string, TreeEntry>): Promise<CleanedBlobs> {
  const git = hardenedGit(repository.top, repository.env);
  const filtered = await filteredFiles(repository, entries);
  if (filtered.length === 0) return { entries, unfiltered: [] };
  const own = new Map([...(await allowedFilters(repository)), ...(await personalFilters(git))]);
  const cleaned = new Map(entries);
  const unfiltered: string[] = [];
  for (const { path, filter, entry } of filtered) {
    const settings = own.get(filter);
    if (settings === undefined) unfiltered.push(path);
    else cleaned.set(path, { ...entry, id: await cleanedId(repository, { path, entry, settings }) });
  }
  return { entries: cleaned, unfiltered };
}

type FilteredFile = { readonly path: string; readonly filter: string; readonly entry: TreeEntry };

async function filteredFiles(repository: Repository, entries: ReadonlyMap<string, TreeEntry>): Promise<FilteredFile[]> {
  const files = [...entries].filter(([, { mode }]) => mode.startsWith("100")).map(([path]) => path);
  const filters = await repositoryStore(repository).filters(files);
  return files.flatMap((path) => {
    const [filter, entry] = [filters.get(path), entries.get(path)];
    return filter === undefined || entry === undefined ? [] : [{ path, filter, entry }];
  });
}

/** Returns filters set by the user or administrator for all repositories, with their settings as git arguments. */
async function personalFilters(git: Git): Promise<ReadonlyMap<string, readonly string[]>> {
  const filters = new Map<string, string[]>();
  for (const scope of ["--system", "--global"]) {
    const listed = await git(["config", scope, "-z", "--get-regexp", String.raw`^filter\.`]);
    for (const field of splitFields(listed.stdout)) {
      const [, name, setting, value] =
        /^filter\.([\w-]+)\.(clean|process|required)\n([^]*)$/.exec(field.toString("utf8")) ?? [];
      if (name === undefined || setting === undefined || value === undefined) continue;
      filters.set(name, [...(filters.get(name) ?? []), "-c", `filter.${name}.${setting}=${value}`]);
    }
  }
  return filters;
}

/** Returns the repository's filters that a person agreed to. Git finds their settings itself. */
async function allowedFilters({ top, env, allows }: Repository): Promise<ReadonlyMap<string, readonly string[]>> {
  const allowed = (await repositoryPrograms(top, env)).settings.filter(allows);
  return new Map(
    allowed.flatMap(({ key }) => (/^filter\.(.*)\.[^.]*$/s.exec(key)?.slice(1, 2) ?? []).map((name) => [name, []])),
  );
}

type CleanRequest = { readonly path: string; readonly entry: TreeEntry; readonly settings: readonly string[] };

async function cleanedId(repository: Repository, { path, entry, settings }: CleanRequest): Promise<string> {
  const { top, env } = repository;
  const raw = await must(hardenedGit(top, env)(["cat-file", "blob", entry.id], { timeoutMs: 60_000 }), "cat-file");
  const args = [...settings, "hash-object", "-w", "--stdin", `--path=${path}`];
  return (await must(personalGit(top, repository)(args, { input: raw }), "hash-object")).toString("latin1").trim();
}
