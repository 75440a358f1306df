import type { ThrowAwayCopy, Workspace } from "../../ports/workspace.ts";
import { copyTree } from "../plain-workspace/copy-tree.ts";
import { workbenchOf } from "../plain-workspace/workbench.ts";
import { exportTree } from "./export-tree.ts";
import { hardenedGit } from "./git.ts";
import type { Git } from "./git.ts";
import { isObjectId, refPart } from "./ref-name.ts";
import { orNull, repositoryAt } from "./repository.ts";
import { restorePaths } from "./restore.ts";
import { gitFailed } from "./run-git.ts";
import { takeSnapshot } from "./snapshot.ts";
import { makeTemporaryFolder, removeFolder } from "./temporary-folder.ts";
import { changesBetween, linesBetween, pairOf, patchBetween } from "./tree-diff.ts";
import type { TreePair } from "./tree-diff.ts";

/**
 * The working tree around `cwd`, remembered as commits under `refs/isdlc/<run>/`. Equal trees get equal ids. Not seen:
 * ignored files, the inside of submodules, files this user cannot read. Nothing configured in the repository runs.
 */
export function createGitWorkspace(cwd: string, run: string): Workspace {
  const open = repositoryAt(cwd);
  const commits = new Map<string, string>();
  const refOf = (name: string): string => `refs/isdlc/${refPart(run)}/${refPart(name)}`;

  async function compare<T>(
    ends: readonly [string | null, string | null],
    ask: (git: Git, pair: TreePair) => Promise<T>,
  ) {
    const pair = pairOf(...ends);
    const repository = pair && (await orNull(open));
    return repository && ask(hardenedGit(repository.top), pair);
  }

  return {
    async snapshot(name, include) {
      const repository = await orNull(open);
      return repository && takeSnapshot(repository, { ref: refOf(name), include, commits });
    },
    async kept(name) {
      const repository = await orNull(open);
      if (!repository) return null;
      const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", refOf(name)];
      const found = await hardenedGit(repository.top)(args);
      return found.status === 0 ? found.stdout.toString("latin1").trim() : null;
    },
    diff: (from, to) => compare([from, to], changesBetween),
    async lines(from, to, paths) {
      return (await compare([from, to], (git, pair) => linesBetween(git, pair, paths))) ?? 0;
    },
    async patch(from, to) {
      return (await compare([from, to], patchBetween)) ?? "";
    },
    async restore(from, paths) {
      requireSnapshot(from, "restore");
      await restorePaths(await open(), { from, paths });
    },
    copy: (snapshot) => copyOf({ cwd, open }, snapshot),
    workbench: async (snapshot, folder) => workbenchOf(await copyOf({ cwd, open }, snapshot), { root: cwd, folder }),
  };
}

/** The files of a snapshot in a folder of their own; without one, of the working tree. */
async function copyOf({ open, cwd }: Place, snapshot: string | null): Promise<ThrowAwayCopy> {
  if (snapshot === null) return copyTree(cwd);
  requireSnapshot(snapshot, "copy");
  const { top } = await open();
  const dir = await makeTemporaryFolder();
  try {
    await exportTree(hardenedGit(top), { commit: snapshot, into: dir, paths: "all" });
  } catch (error) {
    await removeFolder(dir);
    throw error;
  }
  return { dir, dispose: () => removeFolder(dir) };
}

type Place = { readonly cwd: string; readonly open: ReturnType<typeof repositoryAt> };

function requireSnapshot(id: string, command: string): void {
  if (!isObjectId(id)) throw gitFailed(command, `${JSON.stringify(id)} is not a snapshot`);
}
