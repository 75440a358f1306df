import { repositoryStore } from "../objects/repository-store.ts";
import { type Git, hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../process/personal-git.ts";
import { repositoryPrograms } from "../read/repository-programs.ts";
import { splitFields } from "../process/git-path.ts";
import type { Repository } from "../read/repository.ts";
import type { TreeEntry } from "./tree-entry.ts";

export type CleanedBlobs = {
  readonly entries: ReadonlyMap<string, TreeEntry>;
  /** Files whose filter only the repository's own settings name, without approval: they stay unfiltered. */
  readonly unfiltered: readonly string[];
};

/**
 * Applies the user's filters (such as LFS): snapshots contain files as they are in the working tree, commits contain
 * filtered files. The input of a filter is read from the snapshot, not from the working tree. Filters named only by
 * this repository run only if a person agreed to them, because an agent may have written its settings.
 */
export async function cleanBlobs(
  repository: Repository,
  entries: ReadonlyMap<string, TreeEntry>,
): Promise<CleanedBlobs> {
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
