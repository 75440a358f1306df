import type { ThrowAwayCopy, Workspace } from "../../ports/workspace.ts";
import type { FileChange } from "../../schema/facts.ts";
import type { RunId } from "../../schema/ids.ts";
import { createScratchCopy, copyTree } from "../files/scratch-copy.ts";
import { repositoryStore } from "./snapshot/repository-store.ts";
import { exportTree } from "./snapshot/export-tree.ts";
import { hardenedGit, withEnvironment } from "./process/git.ts";
import type { IndexTrust } from "./snapshot/following-index.ts";
import { ignoredPaths } from "./snapshot/ignored.ts";
import { hiddenThings } from "./snapshot/hidden-things.ts";
import { isObjectId, snapshotRef } from "./process/ref-name.ts";
import { refTarget } from "./read/git-read.ts";
import { readBackground } from "./read/past-commits.ts";
import { orNull, type Repository, repositoryAt } from "./read/repository.ts";
import type { LookEnvironment } from "./snapshot/private-repository.ts";
import { restorePaths } from "./snapshot/restore.ts";
import { gitFailed } from "./process/run-git.ts";
import { createSnapshots, type Snapshots } from "./snapshot/snapshot.ts";
import { copySnapshot } from "./snapshot/snapshot-copies.ts";
import { submodulesIn } from "./snapshot/submodules.ts";
import { listChanges, toTreePair, patchBetween } from "./snapshot/tree-diff.ts";
import type { TreePair } from "./snapshot/tree-diff.ts";
import { editTree } from "./objects/edit-tree.ts";
import { treeDifferences } from "./objects/tree-differences.ts";
import { readObjectTexts } from "./objects/tree-texts.ts";
import type { TreeEntry } from "./objects/tree-entries.ts";
import { mergeBlobs } from "./write/merge-attempt.ts";
import { type ChangedLines, createChangedLines } from "./snapshot/patch-text.ts";
import { verifyObjects } from "./snapshot/verify-objects.ts";

type OpenRepository = ReturnType<typeof repositoryAt>;

/** Before an agent ran, the user's index is trusted. */
const BELIEVED: IndexTrust = { since: null, tree: null };

/** Name of the snapshot of the current working tree; no caller asks for it by name. */
const NOW = "now";

export type WorkspaceOptions = {
  readonly run: RunId;
  readonly env: NodeJS.ProcessEnv;
  readonly trust?: IndexTrust;
};

/**
 * Creates the workspace for the working tree around `cwd`, with snapshots as commits under `refs/isdlc/<run>/`. Equal
 * trees get equal ids. Snapshots omit ignored files, the content of submodules and files this user cannot read.
 * Nothing configured by the repository runs.
 */
export function createGitWorkspace(cwd: string, { run, env, trust = BELIEVED }: WorkspaceOptions): Workspace {
  const open = repositoryAt(cwd, { env });
  let known: Snapshots | null = null;
  const snapshots = async (): Promise<Snapshots | null> => {
    const repository = await orNull(open);
    return repository && (known ??= createSnapshots(repository, trust));
  };
  const refOf = (name: string): string => snapshotRef(run, name);
  /** Throws if the scan fails: a failure never means "nothing has changed". */
  const take = async (name: string, include: readonly string[]): Promise<string> => {
    known ??= createSnapshots(await open(), trust);
    return known.take({ ref: refOf(name), include });
  };
  const compared = { ...comparisons(open, snapshots), ...changeFacts(open) };
  const copy = async (snapshot: string | null): Promise<ThrowAwayCopy> =>
    snapshot === null ? copyTree(cwd) : copyWorkspaceSnapshot(snapshot, { open, snapshots: await snapshots() });

  return {
    snapshot: take,
    now: (include) => take(NOW, include),
    async submodules(snapshot) {
      requireSnapshot(snapshot, "ls-tree");
      const { top } = await open();
      const index = (await snapshots())?.indexOf(snapshot) ?? null;
      return submodulesIn(hardenedGit(top, env), { top, tree: snapshot, index });
    },
    async hidden() {
      const { top, gitDir } = await open();
      const { ignores } = repositoryStore({ top, env });
      return hiddenThings({ top, gitDir, git: hardenedGit(top, env), ignores, since: trust.since ?? Date.now() });
    },
    async kept(name) {
      const repository = await orNull(open);
      return repository && refTarget(repository, refOf(name));
    },
    ...compared,
    without: async (name, tree, change) =>
      keepWithout({ repository: await open(), snapshots: await snapshots() }, { ref: refOf(name), tree, ...change }),
    async restore(from, paths) {
      requireSnapshot(from, "restore");
      await restorePaths(await open(), { from, paths });
    },
    copy,
    async writeInto(folder, snapshot, paths) {
      requireSnapshot(snapshot, "copy");
      const { top } = await open();
      await exportTree(hardenedGit(top, env), { commit: snapshot, into: folder, paths });
    },
    ignored: async () => ignoredPaths(hardenedGit((await open()).top, env)),
    scratchCopy: async (snapshot, folder) => createScratchCopy(await copy(snapshot), { root: cwd, folder }),
  };
}

/** Compares snapshots and caches the changes: snapshots never change. */
function comparisons(
  open: OpenRepository,
  snapshots: () => Promise<Snapshots | null>,
): Pick<Workspace, "diff" | "lines" | "patch" | "verify"> {
  const known = new Map<string, readonly FileChange[]>();

  let lines: ChangedLines | null = null;

  async function compare<T>(ends: ComparedTrees, ask: (comparing: TreeComparison) => Promise<T>): Promise<T | null> {
    const pair = toTreePair(...ends);
    const repository = pair && (await orNull(open));
    const environment = (await (await snapshots())?.environment()) ?? {};
    return repository && ask({ repository, pair, environment });
  }

  async function changed(from: string | null, to: string | null): Promise<readonly FileChange[] | null> {
    const pair = toTreePair(from, to);
    const repository = pair && (await orNull(open));
    return repository && listChanges(repositoryStore(repository).objects, pair);
  }

  return {
    async diff(from, to) {
      const key = `${from} ${to}`;
      const found = known.get(key) ?? (await changed(from, to));
      if (found !== null) known.set(key, found);
      return found;
    },
    async verify(from, snapshot) {
      requireSnapshot(snapshot, "rev-list");
      const { top, env } = await open();
      await verifyObjects(hardenedGit(top, env), from, snapshot);
    },
    async lines(from, to, paths) {
      const count = ({ repository, ...comparing }: TreeComparison): Promise<number> => {
        lines ??= createChangedLines(repository, repositoryStore(repository).objects);
        return lines({ ...comparing, paths });
      };
      return (await compare([from, to], count)) ?? 0;
    },
    async patch(from, to, paths = []) {
      const read = ({ repository: { top, env }, pair, environment }: TreeComparison): Promise<string> =>
        patchBetween(withEnvironment(hardenedGit(top, env), environment), pair, paths);
      return (await compare([from, to], read)) ?? "";
    },
  };
}

/** Reads facts about changed files. */
function changeFacts(open: OpenRepository): Pick<Workspace, "background" | "texts"> {
  return {
    async texts(tree, paths) {
      const repository = tree === null || paths.length === 0 ? null : await orNull(open);
      if (repository === null || tree === null) return new Map();
      return readObjectTexts(repositoryStore(repository).objects, { tree, paths });
    },
    async background(commit, words) {
      const repository = await orNull(open);
      return repository === null
        ? { commits: [], tests: new Map() }
        : readBackground(hardenedGit(repository.top, repository.env), commit, words);
    },
  };
}

type ComparedTrees = readonly [string | null, string | null];

type TreeComparison = {
  readonly repository: Repository;
  readonly pair: TreePair;
  readonly environment: LookEnvironment;
};

type WorkspaceContext = { readonly open: OpenRepository; readonly snapshots: Snapshots | null };

/** Copies the files of a snapshot to a separate folder. */
async function copyWorkspaceSnapshot(snapshot: string, { open, snapshots }: WorkspaceContext): Promise<ThrowAwayCopy> {
  requireSnapshot(snapshot, "copy");
  const { top, env } = await open();
  const { objects } = repositoryStore({ top, env });
  const index = snapshots?.indexOf(snapshot) ?? null;
  return copySnapshot({ top, git: hardenedGit(top, env), objects, snapshot, index });
}

type SnapshotStore = { readonly repository: Repository; readonly snapshots: Snapshots | null };

async function keepWithout(
  { repository, snapshots }: SnapshotStore,
  { ref, ...change }: Subtraction & { readonly ref: string },
) {
  for (const id of Object.values(change)) requireSnapshot(id, "mktree");
  if (snapshots === null) throw gitFailed("mktree", "there is no repository");
  return snapshots.keep(ref, await withoutChanges(repository, change));
}

function requireSnapshot(id: string, command: string): void {
  if (!isObjectId(id)) throw gitFailed(command, `${JSON.stringify(id)} is not a snapshot`);
}

type Subtraction = { readonly tree: string; readonly from: string; readonly to: string };

/**
 * Undoes the changes from `from` to `to` in a third tree. A file with other changes in the same place is taken from
 * `from` as a whole: a comparison may show too much, but never too little.
 */
async function withoutChanges(repository: Repository, { tree, from, to }: Subtraction): Promise<string> {
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
