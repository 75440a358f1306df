import { ProblemError } from "../../../core/problem.ts";
import { treeOfIndex } from "../objects/tree-of-index.ts";
import { repositoryStore, type RepositoryStore } from "./repository-store.ts";
import { type LookSettings, lookSettings } from "../read/content-filters.ts";
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
  /** Files and folders that count even if they are ignored or under `.isdlc`. */
  readonly include: readonly string[];
};

export interface Snapshots {
  take(request: SnapshotRequest): Promise<string>;
  /** Stores a composed tree as a snapshot. */
  keep(ref: string, tree: string): Promise<string>;
  /** Returns an index with exactly the files of the snapshot, while there is one. */
  indexOf(snapshot: string): IndexEnvironment | null;
  /** Returns the environment to compare git trees: the repository's configuration has no effect. */
  environment(): Promise<LookEnvironment>;
}

/** Each garbage collection of git can come between writing objects and their ref once. */
const MAX_SNAPSHOT_ATTEMPTS = 3;

/**
 * Stores the working tree as commits, through a separate index. A commit has no parent and a fixed date, to give equal
 * trees equal ids.
 */
export function createSnapshots(repository: Repository, trust: IndexTrust): Snapshots {
  const git = hardenedGit(repository.top, repository.env);
  const index = createFollowingIndex(git, repository, trust);
  const settings = async (): Promise<LookSettings> =>
    lookSettings(await repositorySettings(repository.top, repository.env));
  const commits = new Map<string, string>();
  const store = repositoryStore(repository);
  const inTurn = oneAfterAnother();

  /** Repeats the work if git deleted cached or just written objects, which is possible until a ref points to them. */
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
  /** True if the index will show every later change of the working tree. */
  readonly isReliable: boolean;
};

type IndexUpdate = { readonly behind: Behind; readonly top: string; readonly store: RepositoryStore };

/** Adds the missing changes to the index and writes its tree. */
async function bringUpToDate(git: Git, { behind, top, store }: IndexUpdate): Promise<UpToDate> {
  const { environment, files, repositories, isSparse } = behind;
  if (behind.tree !== null && files.length + repositories.length === 0)
    return { tree: behind.tree, isReliable: !isSparse };
  const staged = await stage(git, { environment, top, paths: files });
  await stageInnerRepositories(git, { environment, folders: repositories });
  const { GIT_INDEX_FILE: index = "" } = environment;
  const tree = (await treeOfIndex(store, index)) ?? (await writtenByGit(git, environment));
  // Git does not enter a former repository, and does not know which files a sparse checkout omits.
  const isReliable = staged.isReliable && repositories.length === 0 && !isSparse;
  return { tree, isReliable };
}

const writtenByGit = async (git: Git, environment: IndexEnvironment): Promise<string> =>
  (await must(git(["write-tree"], { environment, timeoutMs: wholeTreeTimeoutMs }), "write-tree"))
    .toString("latin1")
    .trim();

/** Adds a repository inside the tree by its commit. Git refuses a repository without commits, which is omitted. */
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
  /** Commits made for trees by earlier calls. This call adds its own. */
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
  await assertTree(); // git writes a commit even without its tree, and only now a ref protects both
  commits.set(tree, stored);
  return stored;
}
