import { createConversation } from "../process/git-conversation.ts";
import { endStaying, type GitFolder, startGit } from "../process/git.ts";
import { createFilterAttributes, type FilterAttributes } from "../read/filter-attributes.ts";
import { forgetSettings } from "../read/repository-settings.ts";
import { createIgnoreRules, type IgnoreRules } from "../snapshot/ignored.ts";
import { releaseCopies } from "../snapshot/snapshot-copies.ts";
import type { TreeStore } from "./edit-tree.ts";
import { createGitObjects } from "./git-objects.ts";
import { createObjectWriter, type ObjectWriter } from "./object-writer.ts";
import { createRefWriter, type RefWriter } from "./ref-writer.ts";

/** Objects, refs and rules of one repository, read and written by long-running git processes. */
export type RepositoryStore = TreeStore & {
  readonly setRef: RefWriter;
  readonly write: ObjectWriter;
  readonly ignores: IgnoreRules;
  readonly filters: FilterAttributes;
};

const stores = new Map<string, WeakMap<NodeJS.ProcessEnv, RepositoryStore>>();

/** Returns the store of a working tree and environment. All callers share its processes. */
export function repositoryStore(folder: GitFolder): RepositoryStore {
  const { top, env } = folder;
  const here = stores.get(top) ?? new WeakMap<NodeJS.ProcessEnv, RepositoryStore>();
  stores.set(top, here);
  const known = here.get(env) ?? createStore(folder);
  here.set(env, known);
  return known;
}

/** Ends the processes of a working tree that is about to be removed, and drops everything cached about it. */
export function releaseRepository(top: string): void {
  stores.delete(top);
  releaseCopies(top);
  endStaying(top);
  forgetSettings(top);
}

function createStore(folder: GitFolder): RepositoryStore {
  const talk = (...args: string[]) => createConversation(args[0] ?? "", () => startGit(folder, args));
  return {
    objects: createGitObjects(talk("cat-file", "--batch")),
    makeTree: talk("mktree", "-z", "--batch"),
    write: createObjectWriter({
      blobs: talk("hash-object", "-w", "--no-filters", "--stdin-paths"),
      commits: talk("hash-object", "-w", "--no-filters", "-t", "commit", "--stdin-paths"),
    }),
    ignores: createIgnoreRules(folder),
    filters: createFilterAttributes(folder),
    setRef: createRefWriter(talk("update-ref", "-m", "commit (isdlc)", "--stdin")),
  };
}
