import type { ThrowAwayCopy, Workspace } from "../../../ports/workspace.ts";
import type { FileChange } from "../../../schema/facts.ts";
import { copyTree } from "../../plain-workspace/copy-tree.ts";
import { scratchCopyOf } from "../../plain-workspace/scratch-copy.ts";
import { exportTree } from "./export-tree.ts";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import type { Git } from "../process/git.ts";
import { isObjectId, snapshotRef } from "./ref-name.ts";
import { orNull, repositoryAt } from "../read/repository.ts";
import { restorePaths } from "./restore.ts";
import { gitFailed } from "../process/run-git.ts";
import { createSnapshots, type Snapshots } from "./snapshot.ts";
import { makeTemporaryFolder, removeFolder } from "../process/temporary-folder.ts";
import { changesBetween, linesBetween, pairOf, patchBetween } from "./tree-diff.ts";
import type { TreePair } from "./tree-diff.ts";

type Open = ReturnType<typeof repositoryAt>;

/** Name of the tree that nobody asks for by name. */
const NOW = "now";

/**
 * The working tree around `cwd`, remembered as commits under `refs/isdlc/<run>/`. Equal trees get equal ids. Not seen:
 * ignored files, the inside of submodules, files this user cannot read. Nothing configured in the repository runs.
 */
export function createGitWorkspace(cwd: string, run: string): Workspace {
  const open = repositoryAt(cwd);
  let known: Snapshots | null = null;
  const snapshots = async (): Promise<Snapshots | null> => {
    const repository = await orNull(open);
    return repository && (known ??= createSnapshots(repository));
  };
  const refOf = (name: string): string => snapshotRef(run, name);
  const take = async (name: string, include: readonly string[]): Promise<string | null> =>
    (await snapshots())?.take({ ref: refOf(name), include }) ?? null;
  const compared = comparisons(open);
  const copy = async (snapshot: string | null): Promise<ThrowAwayCopy> =>
    snapshot === null ? copyTree(cwd) : copyOf(snapshot, { open, snapshots: await snapshots() });

  return {
    snapshot: take,
    now: (include) => take(NOW, include),
    async changedSince(from, include) {
      const standing = await (await snapshots())?.standing(include);
      const changes = await compared.diff(from, standing?.last ?? (await take(NOW, include)));
      return changes && [...new Set([...changes.map(({ path }) => path), ...(standing?.changed ?? [])])];
    },
    async kept(name) {
      const repository = await orNull(open);
      if (!repository) return null;
      const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", refOf(name)];
      const found = await hardenedGit(repository.top)(args);
      return found.status === 0 ? found.stdout.toString("latin1").trim() : null;
    },
    ...compared,
    async restore(from, paths) {
      requireSnapshot(from, "restore");
      await restorePaths(await open(), { from, paths });
    },
    copy,
    async writeInto(folder, snapshot, paths) {
      requireSnapshot(snapshot, "copy");
      const { top } = await open();
      await exportTree(hardenedGit(top), { commit: snapshot, into: folder, paths });
    },
    ignored: async () => ignoredPaths((await open()).top),
    scratchCopy: async (snapshot, folder) => scratchCopyOf(await copy(snapshot), { root: cwd, folder }),
  };
}

async function ignoredPaths(top: string): Promise<readonly string[]> {
  const args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const output = await must(hardenedGit(top)(args, { timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return splitFields(output).map(decodePath);
}

/** Snapshots do not change: what was compared once is known. */
function comparisons(open: Open): Pick<Workspace, "diff" | "lines" | "patch"> {
  const known = new Map<string, readonly FileChange[]>();

  async function compare<T>(
    ends: readonly [string | null, string | null],
    ask: (git: Git, pair: TreePair) => Promise<T>,
  ) {
    const pair = pairOf(...ends);
    const repository = pair && (await orNull(open));
    return repository && ask(hardenedGit(repository.top), pair);
  }

  return {
    async diff(from, to) {
      const key = `${from} ${to}`;
      const found = known.get(key) ?? (await compare([from, to], changesBetween));
      if (found !== null) known.set(key, found);
      return found;
    },
    async lines(from, to, paths) {
      return (await compare([from, to], (git, pair) => linesBetween(git, pair, paths))) ?? 0;
    },
    async patch(from, to) {
      return (await compare([from, to], patchBetween)) ?? "";
    },
  };
}

type WorkspaceContext = { readonly open: Open; readonly snapshots: Snapshots | null };

/** The files of a snapshot in a folder of their own. */
async function copyOf(snapshot: string, { open, snapshots }: WorkspaceContext): Promise<ThrowAwayCopy> {
  requireSnapshot(snapshot, "copy");
  const { top } = await open();
  const dir = await makeTemporaryFolder();
  try {
    const index = snapshots?.indexOf(snapshot) ?? null;
    const filterless = await snapshots?.filterless();
    await exportTree(hardenedGit(top), { commit: snapshot, into: dir, paths: "all", index, filterless });
  } catch (error) {
    await removeFolder(dir);
    throw error;
  }
  return { dir, dispose: () => removeFolder(dir) };
}

function requireSnapshot(id: string, command: string): void {
  if (!isObjectId(id)) throw gitFailed(command, `${JSON.stringify(id)} is not a snapshot`);
}
