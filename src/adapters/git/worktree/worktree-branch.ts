import { ProblemError } from "../../../core/problem.ts";
import type { MergeRequest } from "../../../ports/vcs.ts";
import type {
  DeletedBranch,
  BranchRefusal,
  MergedBranch,
  MergeRefusal,
  WorktreeRefusal,
} from "../../../ports/worktrees.ts";
import { hardenedGit, must } from "../process/git.ts";
import { type GitCaller, personalGit } from "../read/personal-git.ts";
import type { Git } from "../process/git.ts";
import { readFacts, readBranchTip } from "../read/git-read.ts";
import { mergeOrSquash } from "../write/squash-branch.ts";
import { isBranchName, refPart } from "../process/ref-name.ts";
import { orNull, repositoryAt } from "../read/repository.ts";
import { lastWords } from "../process/run-git.ts";
import { findMainTree, refused } from "./worktree-location.ts";
import { uncommittedIn } from "../snapshot/worktree-uncommitted.ts";

/** Deletes a branch if the base contains all its commits. */
export async function deleteMergedBranch(
  root: string,
  { branch, base }: { readonly branch: string; readonly base: string },
  caller: GitCaller,
): Promise<DeletedBranch | WorktreeRefusal<BranchRefusal>> {
  const found = await deletable(root, branch, caller);
  if (!found.ok) return found;
  const { git, tip } = found;
  const baseTip = isBranchName(base) ? await readBranchTip(git, base) : null;
  if (baseTip === null) return refused("noBase", "There is no such branch to compare with.", [base]);
  if (branch === base || (await git(["merge-base", "--is-ancestor", tip, baseTip])).status !== 0) {
    const fix = "The branch has commits that the base does not have. Merge it first, or keep it.";
    return refused("unmerged", fix, [branch, base]);
  }
  return removeBranch(found, { branch, tip, ref: null });
}

/** Saves the tip of a branch under a ref, then deletes the branch. Returns the ref: no commit is lost. */
export async function keepThenDelete(
  root: string,
  branch: string,
  caller: GitCaller,
): Promise<DeletedBranch | WorktreeRefusal<BranchRefusal>> {
  const found = await deletable(root, branch, caller);
  if (!found.ok) return found;
  const { git, tip } = found;
  const ref = await keepTip(git, branch, tip);
  return removeBranch(found, { branch, tip, ref });
}

/** Git still lists a working tree whose folder was deleted by hand. */
export const GONE = "if its folder is gone, run git worktree prune";

/** Lists the working trees with the branch checked out. */
export async function treesOfBranch(git: Git, branch: string): Promise<string[]> {
  const args = ["for-each-ref", "--format=%(worktreepath)", `refs/heads/${branch}`];
  const lines = (await must(git(args), "for-each-ref")).toString("utf8").split("\n");
  return lines.filter((line) => line !== "");
}

/** Merges in the main working tree, which must already be on the base: no working tree changes its branch unasked. */
export async function mergeWorktreeBranch(
  root: string,
  request: MergeRequest,
  caller: GitCaller,
): Promise<MergedBranch | WorktreeRefusal<MergeRefusal>> {
  const main = findMainTree(root);
  if (main === null) return refused("noRepository", "There is no main working tree to merge in.", [root]);
  const refusal = await refusalOfMerge(main, request, caller.env);
  if (refusal !== null) return refusal;
  try {
    return { ok: true, outcome: await mergeOrSquash(await repositoryAt(main, caller)(), request) };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { problem } = error as ProblemError;
    if (problem.code === "MERGE_CONFLICT") {
      const fix =
        "The merge conflicts, and nothing was changed. Merge the base into the branch by hand, then try again.";
      return refused("conflict", fix, problem.files);
    }
    if (problem.code !== "GIT_FAILED") throw error;
    return refused("gitRefused", `Nothing was merged: ${problem.detail}.`, [request.branch]);
  }
}

async function refusalOfMerge(
  main: string,
  { branch, base }: MergeRequest,
  env: NodeJS.ProcessEnv,
): Promise<WorktreeRefusal<MergeRefusal> | null> {
  const git = hardenedGit(main, env);
  const has = async (name: string) => isBranchName(name) && (await readBranchTip(git, name)) !== null;
  if (!(await has(branch))) return refused("noBranch", "There is no such branch.", [branch]);
  if (!(await has(base))) return refused("noBase", "There is no such branch to merge into.", [base]);
  const here = await readFacts(git);
  if (here.branch !== base) {
    const fix = `The main working tree is not on ${base}. Switch it there, then try again.`;
    return refused("mainElsewhere", fix, [main]);
  }
  for (const tree of await treesOfBranch(git, branch)) {
    const repository = await orNull(repositoryAt(tree, { env }));
    const uncommitted = repository === null ? [] : await uncommittedIn(repository);
    if (uncommitted.length === 0) continue;
    return refused("uncommitted", `Commit what is not committed in ${tree}, then try again.`, uncommitted);
  }
  return null;
}

type Deletable = { readonly ok: true; readonly git: Git; readonly person: Git; readonly tip: string };

async function deletable(
  root: string,
  branch: string,
  caller: GitCaller,
): Promise<Deletable | WorktreeRefusal<BranchRefusal>> {
  const main = findMainTree(root);
  if (main === null) return refused("noRepository", "There is no git repository here.", [root]);
  if (!isBranchName(branch)) return refused("badBranch", "That is not the name of a branch.", [branch]);
  const git = hardenedGit(main, caller.env);
  const tip = await readBranchTip(git, branch);
  if (tip === null) return refused("noBranch", "There is no such branch.", [branch]);
  const trees = await treesOfBranch(git, branch);
  if (trees.length === 0) return { ok: true, git, person: personalGit(main, caller), tip };
  const fix = `The branch is checked out. Remove its working tree first, or switch it; ${GONE}.`;
  return refused("checkedOut", fix, trees);
}

const KEPT = "refs/isdlc/kept";
/** Maximum number of readable refs for discarded branches of one name. */
const NUMBERED = 9;

/** Saves the tip under a new ref. Never replaces an earlier one of the same name. */
async function keepTip(git: Git, branch: string, tip: string): Promise<string> {
  const numbers = Array.from({ length: NUMBERED }, (_, index) => (index === 0 ? "" : `-${index + 1}`));
  for (const name of numbers.map((ending) => `${branch}${ending}`)) {
    const ref = `${KEPT}/${name}`;
    const made = await git(["update-ref", "--end-of-options", ref, tip, "0".repeat(tip.length)]);
    if (made.status === 0) return ref;
    const there = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
    if (there.status === 0 && there.stdout.toString("latin1").trim() === tip) return ref;
  }
  const ref = `${KEPT}/${refPart(`${branch} ${tip}`)}`;
  await must(git(["update-ref", "--end-of-options", ref, tip]), "update-ref");
  return ref;
}

type Deletion = { readonly branch: string; readonly tip: string; readonly ref: string | null };

/** Deletes the branch only if it is still at the checked tip: a commit made in the meantime is not lost. */
async function removeBranch(
  { person }: Deletable,
  { branch, tip, ref }: Deletion,
): Promise<DeletedBranch | WorktreeRefusal<BranchRefusal>> {
  const done = await person(["update-ref", "--no-deref", "-d", `refs/heads/${branch}`, tip]);
  if (done.status !== 0) return refused("gitRefused", `The branch was not deleted: ${lastWords(done)}.`, [branch]);
  // A later branch of the same name must not inherit the upstream. Fails if there is none, which is ignored.
  await person(["config", "--local", "--remove-section", `branch.${branch}`]);
  return { ok: true, tip, ref };
}
