import { join } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import type { MergeOutcome } from "../../../ports/vcs.ts";
import { hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../read/personal-git.ts";
import { gitFailed } from "../process/run-git.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import { readCommit } from "../snapshot/commit-object.ts";
import { readFacts } from "../read/git-read.ts";
import { repositoryAt } from "../read/repository.ts";
import { changesBetween } from "../snapshot/tree-diff.ts";
import { uncommittedIn } from "../snapshot/worktree-uncommitted.ts";
import { type Merge, tryMerge, unmergedFiles } from "./merge-attempt.ts";

/**
 * Returns true if files changed by the branch contain uncommitted user changes: git would refuse to switch to the
 * base.
 * @throws ProblemError GIT_FAILED if the base changed such a file too: the user's changes would block the merge
 * itself.
 */
export async function isInTheWay({
  git,
  repository,
  branch,
  base,
  commit,
  baseTip,
  expected,
}: Merge): Promise<boolean> {
  const here = await readFacts(git);
  if (here.branch !== branch || here.head !== commit || expected === null) return false;
  const uncommitted = new Set(await uncommittedIn(repository));
  if (uncommitted.size === 0) return false;
  const paths = async (from: string, to: string): Promise<string[]> =>
    ((await changesBetween(git, { from, to })) ?? []).map(({ path }) => path).filter((path) => uncommitted.has(path));
  if ((await paths(commit, baseTip)).length === 0) return false;
  const lost = await paths(commit, expected);
  if (lost.length === 0) return true;
  const detail = `${lost.join(", ")}: you have uncommitted lines there, and ${base} changed it too; commit or stash them`;
  throw gitFailed("merge", detail);
}

/**
 * Merges in a temporary working tree, then moves the base there. The user's files are not touched. Hooks and signing
 * apply as in any merge.
 */
export function mergeAside(merge: Merge): Promise<MergeOutcome> {
  return inTemporaryFolder(async (folder) => {
    const top = join(folder, "tree");
    await must(merge.person(["worktree", "add", "--quiet", "--detach", top, merge.baseTip]), "worktree");
    try {
      return await mergeIn(merge, top);
    } finally {
      await must(merge.person(["worktree", "remove", "--force", top]), "worktree");
    }
  });
}

async function mergeIn(merge: Merge, top: string): Promise<MergeOutcome> {
  const { git, branch, base, commit, onto, baseTip, expected } = merge;
  const { env, allows, variables } = merge.repository;
  const repository = await repositoryAt(top, { env, allows, variables })();
  const there = { ...merge, repository, git: hardenedGit(top, env), person: personalGit(top, repository) };
  const failure = await tryMerge(there);
  const { head } = await readFacts(there.git);
  const files = await unmergedFiles(there.git);
  if (files.length > 0) throw new ProblemError({ code: "MERGE_CONFLICT", branch, base, files });
  if (head === null || head === baseTip) throw failure;
  const { tree, parents } = await readCommit(merge.repository, head);
  if (parents.length !== 2 || parents[0] !== onto || parents[1] !== commit) return { is: "moved" };
  if (tree !== expected && expected !== null)
    return { is: "changed", changes: (await changesBetween(git, { from: expected, to: tree })) ?? [] };
  return moveBase(merge, head);
}

/** Moves the base to a commit created for it. The user's files are not touched. */
export async function moveBase({ git, branch, base, baseTip }: Merge, commit: string): Promise<MergeOutcome> {
  const moving = ["update-ref", "-m", `merge ${branch}`, "--end-of-options", `refs/heads/${base}`, commit, baseTip];
  return (await git(moving)).status === 0 ? { is: "merged", commit } : { is: "moved" };
}
