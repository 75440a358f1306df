import { createConversation } from "../process/git-conversation.ts";
import { startGit } from "../process/git.ts";
import type { TreeStore } from "./edit-tree.ts";
import { createGitObjects } from "./git-objects.ts";
import { createRefWriter, type RefWriter } from "./ref-writer.ts";

/** Objects and refs of one repository, through processes of git that stay. */
export type RepositoryStore = TreeStore & { readonly setRef: RefWriter };

const stores = new Map<string, RepositoryStore>();

/** One for each working tree: whoever asks for the same one shares its processes. */
export function repositoryStore(top: string): RepositoryStore {
  const known = stores.get(top) ?? createStore(top);
  stores.set(top, known);
  return known;
}

function createStore(top: string): RepositoryStore {
  const talk = (...args: string[]) => createConversation(args[0] ?? "", () => startGit(top, args));
  return {
    objects: createGitObjects(talk("cat-file", "--batch")),
    makeTree: talk("mktree", "-z", "--batch"),
    setRef: createRefWriter(talk("update-ref", "--stdin")),
  };
}
