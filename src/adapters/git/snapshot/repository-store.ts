import { createConversation, type Conversation } from "../process/git-conversation.ts";
import { endStaying, type GitFolder, startGit } from "../process/git.ts";
import { createFilterAttributes, type FilterAttributes } from "../read/filter-attributes.ts";
import { forgetSettings } from "../read/repository-settings.ts";
import { createIgnoreRules, type IgnoreRules } from "./ignored.ts";
import { releaseCopies } from "./snapshot-copies.ts";
import type { TreeStore } from "../objects/edit-tree.ts";
import { createGitObjects } from "../objects/git-objects.ts";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId } from "../process/ref-name.ts";

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

/** Stores objects and returns their ids. Does not check if referenced objects exist. */
export type ObjectWriter = {
  /** Stores the content of a file without filters. */
  fileAsBlob(file: string): Promise<string>;
  commit(content: string): Promise<string>;
};

type HashingGit = { readonly blobs: Conversation; readonly commits: Conversation };

/** Creates a writer that uses `git hash-object -w --stdin-paths`, with one process per type of object. */
function createObjectWriter({ blobs, commits }: HashingGit): ObjectWriter {
  return {
    fileAsBlob: (file) => store(blobs, file),
    commit: (content) =>
      inTemporaryFolder(async (folder) => {
        const file = join(folder, "commit");
        await writeFile(file, content);
        return store(commits, file);
      }),
  };
}

async function store(hashObject: Conversation, file: string): Promise<string> {
  if (file.includes("\n")) throw gitFailed("hash-object", `${JSON.stringify(file)} has a line break in its name`);
  return hashObject.ask(Buffer.from(`${file}\n`), async (answers) => {
    const id = await answers.line();
    if (!isObjectId(id)) throw gitFailed("hash-object", `it was answered with ${JSON.stringify(id)}`);
    return id;
  });
}

/**
 * Points a ref to an object. With `from`, the ref must still point there.
 * @throws ProblemError GIT_FAILED if the object is missing, or the ref points to something else.
 */
type RefWriter = (ref: string, id: string, from?: string) => Promise<void>;

/**
 * Creates a writer that uses one `git update-ref --stdin`. Each update is a transaction: nothing stays locked in
 * between.
 */
function createRefWriter(updateRef: Conversation): RefWriter {
  return async (ref, id, from) => {
    if (![id, from ?? id].every(isObjectId) || !/^(?:HEAD|refs\/[^\s\p{Cc}]+)$/u.test(ref))
      throw gitFailed("update-ref", `${JSON.stringify(ref)} cannot point to ${JSON.stringify(id)}`);
    const request = Buffer.from(
      `start\nupdate ${[ref, id, ...(from === undefined ? [] : [from])].join(" ")}\nprepare\ncommit\n`,
    );
    await updateRef.ask(request, async (answers) => {
      for (const step of ["start", "prepare", "commit"]) {
        const answer = await answers.line();
        if (answer !== `${step}: ok`)
          throw gitFailed("update-ref", `${step} was answered with ${JSON.stringify(answer)}`);
      }
    });
  };
}
