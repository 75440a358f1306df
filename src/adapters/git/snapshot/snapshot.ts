import { ProblemError } from "../../../core/problem.ts";
import { treeOfIndex } from "../objects/tree-of-index.ts";
import { repositoryStore, type RepositoryStore } from "../objects/repository-store.ts";
import { type LookSettings, lookSettings } from "../process/content-filters.ts";
import { type Behind, createFollowingIndex, type IndexTrust } from "./following-index.ts";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { encodePath } from "../process/git-path.ts";
import { gitFailed } from "../process/run-git.ts";
import type { Repository } from "../read/repository.ts";
import { repositorySettings } from "../read/repository-settings.ts";
import type { LookEnvironment } from "./private-repository.ts";
import { stage } from "./temporary-index.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

export type SnapshotRequest = {
  readonly ref: string;
  /** Files and folders that count though they are ignored, or our own. */
  readonly include: readonly string[];
};

export interface Snapshots {
  take(request: SnapshotRequest): Promise<string>;
  /** A tree that was composed, as a snapshot. */
  keep(ref: string, tree: string): Promise<string>;
  /** An index with just the files of the snapshot, while there is one. */
  indexOf(snapshot: string): IndexEnvironment | null;
  /** Environment to compare trees with: nothing that the repository says about itself takes part. */
  environment(): Promise<LookEnvironment>;
}

/** Each collection of git can come between writing and referring once. */
const MAX_SNAPSHOT_ATTEMPTS = 3;

/**
 * The working tree stored as commits, through an index of its own. A commit has no parent and a fixed date, so that the
 * same tree always gets the same id.
 */
export function createSnapshots(repository: Repository, trust: IndexTrust): Snapshots {
  const git = hardenedGit(repository.top, repository.env);
  const index = createFollowingIndex(git, repository, trust);
  const settings = async (): Promise<LookSettings> =>
    lookSettings(await repositorySettings(repository.top, repository.env));
  const commits = new Map<string, string>();
  const store = repositoryStore(repository);
  const inTurn = oneAfterAnother();

  /** Git may throw away what was remembered, or written just now, as long as no ref has it: then all of it anew. */
  async function careful<T>(work: () => Promise<T>, triesLeft = MAX_SNAPSHOT_ATTEMPTS - 1): Promise<T> {
    try {
      return await work();
    } catch (error) {
      commits.clear();
      await index.forget();
      if (triesLeft === 0 || !(error instanceof ProblemError) || error.problem.code !== "GIT_FAILED") throw error;
      return careful(work, triesLeft - 1);
    }
  }

  async function take(request: SnapshotRequest): Promise<string> {
    const behind = await index.look(await settings(), request.include);
    const { tree, isReliable } = await bringUpToDate(git, { behind, top: repository.top, store });
    const snapshot = await storeTree({ ...request, tree, commits, store });
    index.holds(tree, isReliable);
    return snapshot;
  }

  return {
    take: (request) => inTurn(() => careful(() => take(request))),
    keep: (ref, tree) => inTurn(() => storeTree({ ref, tree, commits, store })),
    indexOf(snapshot) {
      const [tree] = [...commits].find(([, commit]) => commit === snapshot) ?? [];
      return tree === undefined ? null : index.holding(tree);
    },
    environment: () => inTurn(async () => index.environment(await settings())),
  };
}

function oneAfterAnother(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

type UpToDate = {
  readonly tree: string;
  /** The index will show whatever is done to the tree from here on. */
  readonly isReliable: boolean;
};

type IndexUpdate = { readonly behind: Behind; readonly top: string; readonly store: RepositoryStore };

/** Tells the index what it did not have. */
async function bringUpToDate(git: Git, { behind, top, store }: IndexUpdate): Promise<UpToDate> {
  const { environment, files, repositories, isSparse } = behind;
  if (behind.tree !== null && files.length + repositories.length === 0)
    return { tree: behind.tree, isReliable: !isSparse };
  const staged = await stage(git, { environment, top, paths: files });
  await stageInnerRepositories(git, { environment, folders: repositories });
  const { GIT_INDEX_FILE: index = "" } = environment;
  const tree = (await treeOfIndex(store, index)) ?? (await writtenByGit(git, environment));
  // Git does not look into what once was a repository, and cannot tell what a sparse checkout leaves out.
  const isReliable = staged.isReliable && repositories.length === 0 && !isSparse;
  return { tree, isReliable };
}

const writtenByGit = async (git: Git, environment: IndexEnvironment): Promise<string> =>
  (await must(git(["write-tree"], { environment, timeoutMs: wholeTreeTimeoutMs }), "write-tree"))
    .toString("latin1")
    .trim();

/** A repository inside the tree counts by its commit; git refuses one without commits, and it is left out. */
async function stageInnerRepositories(
  git: Git,
  { environment, folders }: { environment: IndexEnvironment; folders: readonly string[] },
): Promise<void> {
  for (const folder of folders) {
    const input = Buffer.concat([encodePath(withoutSlash(folder)), Buffer.from([0])]);
    await git(["update-index", "--add", "-z", "--stdin"], { environment, input });
  }
}

const withoutSlash = (folder: string): string => folder.replace(/\/$/, "");

const NOBODY = "isdlc <isdlc@localhost> 946684800 +0000";

const snapshotCommit = (tree: string): string =>
  `tree ${tree}\nauthor ${NOBODY}\ncommitter ${NOBODY}\n\nisdlc snapshot\n`;

type TreeStorage = Pick<SnapshotRequest, "ref"> & {
  readonly tree: string;
  /** Commits made for trees by earlier calls; added to. */
  readonly commits: Map<string, string>;
  readonly store: RepositoryStore;
};

async function storeTree({ tree, ref, commits, store: { objects, setRef, write } }: TreeStorage): Promise<string> {
  const known = commits.get(tree) ?? null;
  const isThere = known !== null && (await objects.has(known));
  const assertTree = async (): Promise<void> => {
    if (!(await objects.has(tree))) throw gitFailed("hash-object", `the tree ${tree} is gone`);
  };
  if (!isThere) await assertTree();
  const stored = isThere ? known : await write.commit(snapshotCommit(tree));
  await setRef(ref, stored);
  await assertTree(); // the commit is written without it, and only now a ref keeps it
  commits.set(tree, stored);
  return stored;
}
