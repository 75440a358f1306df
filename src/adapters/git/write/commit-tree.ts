import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { AdvanceRequest, AdvanceResult, CommitRequest, CommitResult } from "../../../ports/vcs.ts";
import { repositoryStore } from "../snapshot/repository-store.ts";
import { treeDifferences } from "../objects/tree-differences.ts";
import { hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../read/personal-git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, joinFields, splitFields } from "../process/git-path.ts";
import { attemptIn, readCommit } from "../snapshot/commit-object.ts";
import { branchTip, readRepositoryFacts } from "../read/git-read.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";
import { requireBranchName } from "../process/ref-name.ts";
import { prepareCommit } from "./prepare-commit.ts";

/**
 * Commits exactly one tree. Nothing is taken from the working tree or from staged changes. If hooks change the tree,
 * the branch does not move.
 */
export async function commitTree(repository: Repository, request: CommitRequest): Promise<CommitResult> {
  const { branch, parent, tree } = request;
  if (branch !== null) requireBranchName(branch, "commit");
  const tip = await readTip(repository, branch);
  if (tip !== parent && tip !== null && (await isOurs(repository, request, tip)))
    return advanceBranch(repository, { branch, parent, commit: tip });
  if (tip !== parent || (await isElsewhere(repository, branch))) return { is: "moved" };
  await refuseUnfinished(repository);
  const { commit, tree: made, changes } = await prepareCommit(repository, request);
  return made === tree ? advanceBranch(repository, { branch, parent, commit }) : { is: "changed", changes };
}

/**
 * Moves the branch from the parent to a prepared commit, and updates the committed files in the user's index. Nothing
 * else in the working tree or the index changes.
 */
export async function advanceBranch(
  repository: Repository,
  { branch, parent, commit }: AdvanceRequest,
): Promise<AdvanceResult> {
  if (branch !== null) requireBranchName(branch, "commit");
  const person = personalGit(repository.top, repository);
  const tip = await readTip(repository, branch);
  if (commit !== null && tip === commit) {
    await resetEntries(person, await untouchedSince(repository, commit)); // moved before a crash
    return { is: "done", commit };
  }
  if (tip !== parent || (await isElsewhere(repository, branch))) return { is: "moved" };
  if (commit === null) return { is: "done", commit };
  await refuseUnfinished(repository);
  const { parents } = await readCommit(repository, commit);
  if (parents.length > 1 || (parents[0] ?? null) !== parent) throw gitFailed("commit", `${commit} has another parent`);
  await moveTip(repository, { branch, parent, commit });
  await resetEntries(person, await listFiles(repository, commit));
  return { is: "done", commit };
}

/** @throws ProblemError GIT_FAILED if the branch is locked or moved at this moment */
async function moveTip(repository: Repository, { branch, parent, commit }: AdvanceRequest): Promise<void> {
  const id = commit ?? "";
  const ref = branch === null ? "HEAD" : `refs/heads/${branch}`;
  await repositoryStore(repository).setRef(ref, id, parent ?? "0".repeat(id.length));
}

/** Returns the tip of the run's branch, or HEAD if the run has no branch. Null before the first commit. */
async function readTip(repository: Repository, branch: string | null): Promise<string | null> {
  const here = await readRepositoryFacts(repository);
  if (branch === null || here.branch === branch) return here.head;
  return branchTip(repository, branch);
}

const isElsewhere = async (repository: Repository, branch: string | null): Promise<boolean> =>
  branch !== null && (await readRepositoryFacts(repository)).branch !== branch;

/** Returns true for a commit of this attempt made before a crash, with the expected parent and exactly this tree. */
async function isOurs(repository: Repository, { attempt, parent, tree }: CommitRequest, tip: string): Promise<boolean> {
  const found = await readCommit(repository, tip);
  const follows = found.parents.length === (parent === null ? 0 : 1) && found.parents[0] === (parent ?? undefined);
  return follows && found.tree === tree && attemptIn(found) === attempt.trim();
}

/** Operations in progress that a commit would become part of. */
const unfinished = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

async function refuseUnfinished({ gitDir }: Repository): Promise<void> {
  for (const name of unfinished) {
    const isThere = await lstat(join(gitDir, name)).then(
      () => true,
      () => false,
    );
    if (isThere) throw gitFailed("commit", `a merge, rebase or pick is not finished (${name})`);
  }
}

/** Lists the files that differ between a commit and its parent. */
async function listFiles(repository: Repository, commit: string): Promise<string[]> {
  const { tree, parents } = await readCommit(repository, commit);
  const differences = await treeDifferences(repositoryStore(repository).objects, parents[0] ?? null, tree);
  return differences.map(({ path }) => path);
}

/**
 * Lists the files of the commit that are unchanged from its parent in the index, as after a crash right after the
 * commit.
 */
async function untouchedSince(repository: Repository, commit: string): Promise<string[]> {
  const [before] = (await readCommit(repository, commit)).parents;
  if (before === undefined) return [];
  const args = ["diff-index", "-z", "--cached", "--name-only", "--no-renames", "--no-ext-diff", before];
  const output = await must(hardenedGit(repository.top, repository.env)(args), "diff-index");
  const staged = new Set(splitFields(output).map(decodePath));
  return (await listFiles(repository, commit)).filter((path) => !staged.has(path));
}

/** Resets these files to HEAD in the user's index. */
async function resetEntries(person: Git, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = joinFields(paths);
  const args = ["--literal-pathspecs", "reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul", "HEAD"];
  await must(person(args, { input }), "reset");
}
