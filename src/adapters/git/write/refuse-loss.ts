import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { FileChange } from "../../../schema/facts.ts";
import { must } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, inTree, splitFields } from "../process/git-path.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";
import { changesBetween } from "../snapshot/tree-diff.ts";
import type { TreePair } from "../snapshot/tree-diff.ts";

/** Locks that keep git from updating HEAD after it changed the files: the switch would stop halfway. */
const LOCKS = ["HEAD.lock", "index.lock"];

export async function refuseLocked({ gitDir }: Repository): Promise<void> {
  for (const name of LOCKS) {
    const file = join(gitDir, name);
    if ((await lstat(file).catch(() => null)) === null) continue;
    const detail = `${file} is there: another git is at work, or one was killed. Wait for it; if none runs, remove that file`;
    throw gitFailed("switch", detail);
  }
}

/**
 * Rejects a move to another commit that would restore files deleted without staging. Git itself protects edited files,
 * but not an unstaged deletion: the file would come back unasked.
 */
export async function refuseLostDeletions(git: Git, move: TreePair): Promise<void> {
  if (move.from === move.to) return;
  const output = await must(git(["ls-files", "-z", "--deleted"]), "ls-files");
  const deleted = new Set(splitFields(output).map(decodePath));
  if (deleted.size === 0) return;
  const brought = (await movedFiles(git, move)).filter(({ path, change }) => change !== "deleted" && deleted.has(path));
  refuse(
    brought.map(({ path }) => path),
    "deleted here but not committed",
  );
}

/** Rejects a merge that adds a file at an existing path: git does not protect ignored files. */
export async function refuseOverwrites(git: Git, top: string, move: TreePair): Promise<void> {
  const inTheWay: string[] = [];
  for (const { path, change } of await movedFiles(git, move)) {
    if (change !== "added") continue;
    const found = await lstat(inTree(top, path)).catch(() => null);
    if (found && !found.isDirectory()) inTheWay.push(path);
  }
  refuse(inTheWay, "not under version control and in the way");
}

function refuse(paths: readonly string[], why: string): void {
  if (paths.length > 0) throw gitFailed("switch", `${paths.slice(0, 10).join(", ")}: ${why}`);
}

/**
 * Lists the files that differ. Both ends are commits of this repository; if one is missing, the move is rejected too.
 */
async function movedFiles(git: Git, move: TreePair): Promise<readonly FileChange[]> {
  const changes = await changesBetween(git, move);
  if (changes === null) throw gitFailed("diff-tree", `${move.from} or ${move.to} is missing`);
  return changes;
}
