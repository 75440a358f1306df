import { ProblemError } from "../../core/problem.ts";
import type { MergeOutcome, MergeRequest, VcsWrite } from "../../ports/vcs.ts";
import { advanceBranch, commitTree } from "./write/commit-tree.ts";
import { composeTree } from "./write/compose-tree.ts";
import { hardenedGit, type Git, must } from "./process/git.ts";
import { type GitCaller, personalGit } from "./read/personal-git.ts";
import { commitsBetween } from "./snapshot/commit-object.ts";
import { branchTip, readRepositoryFacts } from "./read/git-read.ts";
import { prepareCommit } from "./write/prepare-commit.ts";
import { prepareMerge } from "./write/merge-branch.ts";
import { isThereAlready, mergeOrSquash } from "./write/squash-branch.ts";
import { isBranchName, isObjectId, requireBranchName } from "./process/ref-name.ts";
import { readStanding } from "./read/standing.ts";
import { type Repository, repositoryAt } from "./read/repository.ts";
import { gitFailed } from "./process/run-git.ts";
import { mergeWorktreeBranch } from "./worktree/worktree-branch.ts";
import { findMainTree } from "./worktree/worktree-location.ts";
import { refuseLocked, refuseLostDeletions } from "./write/refuse-loss.ts";

/**
 * Creates the write access to the repository around `cwd`. Paths are relative to the top of its working tree. The
 * user's hooks, filters and signing apply, and allowed repository commands. Every call first checks if it already
 * happened.
 */
export function createGitWrite(cwd: string, caller: GitCaller): VcsWrite {
  const open = repositoryAt(cwd, caller);
  return {
    head: async () => (await readRepositoryFacts(await open())).head,
    tip: async (branch) => (isBranchName(branch) ? branchTip(await open(), branch) : null),
    forkPoint: async (one, other) => {
      if (![one, other].every(isBranchName)) return null;
      const args = ["merge-base", `refs/heads/${one}`, `refs/heads/${other}`];
      const found = await hardenedGit((await open()).top, caller.env)(args);
      return found.status === 0 ? found.stdout.toString("latin1").trim() : null;
    },
    startBranch: async (branch, commit) => startBranch(await open(), branch, commit),
    returnToBranch: async (branch, commit) => returnToBranch(await open(), branch, commit),
    standing: async (branch, base) => readStanding(await open(), branch, base),
    commitsBetween: async (from, to) => commitsBetween(hardenedGit((await open()).top, caller.env), from, to),
    compose: async (request) => composeTree(await open(), request),
    prepare: async (request) => prepareCommit(await open(), request),
    advance: async (request) => advanceBranch(await open(), request),
    commit: async (request) => commitTree(await open(), request),
    prepareMerge: async (request) => prepareMerge(await open(), request),
    isMerged: async (request) => isThereAlready(await open(), request),
    merge: async (request) => mergeWhereBaseIs(await open(), request),
  };
}

/** Merges in the main working tree, which has the base. A linked working tree has the feature's branch. */
async function mergeWhereBaseIs(repository: Repository, request: MergeRequest): Promise<MergeOutcome> {
  const main = findMainTree(repository.top);
  if (main === null || main === repository.top) return mergeOrSquash(repository, request);
  const merged = await mergeWorktreeBranch(repository.top, request, repository);
  if (merged.ok) return merged.outcome;
  const { branch, base } = request;
  if (merged.why === "conflict") throw new ProblemError({ code: "MERGE_CONFLICT", branch, base, files: merged.about });
  throw gitFailed("merge", `${merged.fix} ${merged.about.join(", ")}`.trim());
}

/**
 * Switches to the branch, and creates it at the commit if it does not exist. A branch of that name at another commit
 * is rejected as someone else's.
 */
async function startBranch(repository: Repository, branch: string, commit: string): Promise<void> {
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
async function returnToBranch(repository: Repository, branch: string, commit: string): Promise<void> {
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
