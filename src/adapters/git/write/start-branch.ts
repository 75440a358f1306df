import { type Git, hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../process/personal-git.ts";
import { branchTip, readRepositoryFacts } from "../read/git-read.ts";
import { refuseLocked, refuseLostDeletions } from "./refuse-loss.ts";
import { isObjectId, requireBranchName } from "../snapshot/ref-name.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";

/**
 * Switches to the branch, and creates it at the commit if it does not exist. A branch of that name at another commit
 * is rejected as someone else's.
 */
export async function startBranch(repository: Repository, branch: string, commit: string): Promise<void> {
  const git = checked(repository, branch, commit);
  const here = await readRepositoryFacts(repository);
  if (here.branch === branch && (await isBeyond(git, commit, here.head))) return;
  const tip = await branchTip(repository, branch);
  if (tip !== null && tip !== commit) throw gitFailed("switch", `a branch ${branch} already exists at ${tip}`);
  const target = tip === null ? ["--no-track", "--create", branch, commit] : ["--no-guess", branch];
  await switchTo(repository, { from: here.head, to: commit }, target);
}

/**
 * Switches back to an existing branch.
 * @throws ProblemError GIT_FAILED if the branch does not contain the commit.
 */
export async function returnToBranch(repository: Repository, branch: string, commit: string): Promise<void> {
  const git = checked(repository, branch, commit);
  const tip = await branchTip(repository, branch);
  if (tip === null || !(await isBeyond(git, commit, tip)))
    throw gitFailed("switch", `the branch ${branch} has lost ${commit}, which was committed to it`);
  const here = await readRepositoryFacts(repository);
  if (here.branch !== branch) await switchTo(repository, { from: here.head, to: tip }, ["--no-guess", branch]);
}

function checked({ top, env }: Repository, branch: string, commit: string): Git {
  requireBranchName(branch, "switch");
  if (!isObjectId(commit)) throw gitFailed("switch", `${JSON.stringify(commit)} is not a commit id`);
  return hardenedGit(top, env);
}

async function isBeyond(git: Git, commit: string, tip: string | null): Promise<boolean> {
  if (tip === commit) return true;
  return tip !== null && (await git(["merge-base", "--is-ancestor", commit, tip])).status === 0;
}

type Move = { readonly from: string | null; readonly to: string };

async function switchTo(repository: Repository, { from, to }: Move, target: readonly string[]): Promise<void> {
  const { top, env } = repository;
  await refuseLocked(repository);
  if (from !== null) await refuseLostDeletions(hardenedGit(top, env), { from, to });
  await must(personalGit(top, repository)(["switch", "--quiet", "--no-overwrite-ignore", ...target]), "switch");
}
