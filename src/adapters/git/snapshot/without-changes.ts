import { editTree } from "../objects/edit-tree.ts";
import { repositoryStore } from "../objects/repository-store.ts";
import { treeDifferences } from "../objects/tree-differences.ts";
import { hardenedGit } from "../process/git.ts";
import type { Repository } from "../read/repository.ts";
import { mergeBlobs } from "../write/merge-blobs.ts";
import type { TreeEntry } from "../write/tree-entry.ts";

export type Subtraction = { readonly tree: string; readonly from: string; readonly to: string };

/**
 * Undoes the changes from `from` to `to` in a third tree. A file with other changes in the same place is taken from
 * `from` as a whole: a comparison may show too much, but never too little.
 */
export async function withoutChanges(repository: Repository, { tree, from, to }: Subtraction): Promise<string> {
  const git = hardenedGit(repository.top, repository.env);
  const store = repositoryStore(repository);
  const changes = await treeDifferences(store.objects, from, to);
  if (changes.length === 0) return editTree(store, tree, new Map());
  const since = new Map((await treeDifferences(store.objects, to, tree)).map(({ path, after }) => [path, after]));
  const entries = new Map<string, TreeEntry>();
  for (const { path, before, after } of changes) {
    const now = since.get(path);
    const merged = now === undefined ? before : await mergeBlobs(git, { before: after, after: before, committed: now });
    entries.set(path, merged ?? before);
  }
  return editTree(store, tree, entries);
}
