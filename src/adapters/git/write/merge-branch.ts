import { join } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import type { MergeOutcome, MergeRequest, RepositoryFacts } from "../../../ports/vcs.ts";
import { nodeFiles, readSmall } from "../../files/file-system.ts";
import { hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../read/personal-git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import { readFacts, readBranchTip } from "../read/git-read.ts";
import { readCommit } from "../snapshot/commit-object.ts";
import { changesBetween } from "../snapshot/tree-diff.ts";
import { resolveBacklog } from "./resolve-backlog.ts";
import { isInTheWay, mergeAside } from "./merge-aside.ts";
import { type Merge, tryMerge, unmergedFiles } from "./merge-attempt.ts";
import { refuseLocked, refuseLostDeletions } from "./refuse-loss.ts";
import { isObjectId, requireBranchName } from "../process/ref-name.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";

/** Number of commits on the base branch to search for a merge of the same commit. */
export const probeDepth = 500;

const switching = ["switch", "--quiet", "--no-overwrite-ignore"];
/** Preserves unstaged changes. */
const resetting = ["reset", "--quiet", "--merge", "HEAD"];

/**
 * Merges exactly the requested commit onto exactly the requested base, and stays on the base. If the merge fails or
 * its result differs, the user is back on the earlier branch.
 */
export async function mergeBranch(repository: Repository, request: MergeRequest): Promise<MergeOutcome> {
  const asked = await askedFor(repository, request);
  const done = await findMerge(asked);
  if (done !== null) {
    await clearMark(asked);
    await goToBase(asked);
    return { is: "merged", commit: done };
  }
  if (asked.baseTip !== request.onto || (await readBranchTip(asked.git, request.branch)) !== request.commit)
    return { is: "moved" };
  const merge = { ...asked, ...(await foresee(asked)) };
  if (!(await clearLeftovers(merge)) && readMergeInProgress(repository) !== null) {
    throw gitFailed("merge", "another merge is not finished");
  }
  await finishSwitch(merge);
  await refuseStaged(merge);
  if (await isInTheWay(merge)) return mergeInTemporaryTree(merge);
  const before = await goToBase(merge);
  return performMerge(merge, before);
}

/** Returns true if the base has this merge, with the tree that follows from its parents. */
export async function isMergedAlready(
  repository: Repository,
  request: Omit<MergeRequest, "message">,
): Promise<boolean> {
  const asked = await askedFor(repository, { ...request, message: "" });
  const found = (await findMerges(asked)).find(({ parents }) => parents[0] === request.onto);
  if (found === undefined) return false;
  const { expected } = await foresee({ ...asked, baseTip: request.onto });
  return expected === null || (await readCommit(asked.repository, found.id)).tree === expected;
}

/**
 * Undoes the remains of a killed merge, to allow a switch back to the branch.
 * @throws ProblemError MERGE_CONFLICT if the merge would conflict. Nothing is changed in this case.
 */
export async function prepareMerge(repository: Repository, request: Omit<MergeRequest, "message">): Promise<void> {
  const asked = await askedFor(repository, { ...request, message: "" });
  if ((await findMerge(asked)) !== null) return clearMark(asked);
  await clearLeftovers({ ...asked, ...(await foresee(asked)) });
}

export async function askedFor(repository: Repository, request: MergeRequest): Promise<Merge> {
  requireBranchName(request.branch, "merge");
  requireBranchName(request.base, "merge");
  if (![request.commit, request.onto].every(isObjectId)) throw gitFailed("merge", "no commit to merge");
  const git = hardenedGit(repository.top, repository.env);
  const baseTip = await requireTip(git, request.base);
  return {
    ...request,
    repository,
    git,
    person: personalGit(repository.top, repository),
    baseTip,
    expected: null,
    backlog: null,
  };
}

async function requireTip(git: Git, branch: string): Promise<string> {
  const tip = await readBranchTip(git, branch);
  if (tip === null) throw gitFailed("merge", `there is no branch ${branch}`);
  return tip;
}

type FoundMerge = { readonly id: string; readonly parents: readonly string[] };

/** Lists the merges on the base that added the commit. */
async function findMerges({ git, commit, baseTip }: Merge): Promise<FoundMerge[]> {
  const args = ["rev-list", "--first-parent", "--merges", "--parents", `--max-count=${probeDepth}`, baseTip];
  const lines = (await must(git(args), "rev-list")).toString("latin1").split("\n");
  return lines
    .map((line) => line.split(" "))
    .map(([id = "", ...parents]) => ({ id, parents }))
    .filter(({ parents }) => parents.slice(1).includes(commit));
}

/** Returns the merge that added the commit, or the tip of the base if the base contains it otherwise. */
async function findMerge(merge: Merge): Promise<string | null> {
  const { git, commit, baseTip } = merge;
  const [merged] = await findMerges(merge);
  if (merged !== undefined) return merged.id;
  const isContained = await git(["merge-base", "--is-ancestor", commit, baseTip]);
  return isContained.status === 0 ? baseTip : null;
}

/**
 * Computes the tree of the merge without touching any file. `expected` is null if git is too old (before 2.38).
 * @throws ProblemError MERGE_CONFLICT if anything except the backlog conflicts.
 */
export async function foresee({ git, person, branch, base, commit, baseTip }: MergePreviewRequest): Promise<Foreseen> {
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", baseTip, commit];
  const result = await person(args);
  const [tree, ...files] = splitFields(result.stdout).map(decodePath);
  if (result.status === 0 && tree !== undefined) return { expected: tree, backlog: null };
  if (result.status !== 1 || tree === undefined) return { expected: null, backlog: null };
  const resolved = await resolveBacklog(git, { onto: baseTip, commit, tree, files: [...new Set(files)] });
  if (resolved === null) throw new ProblemError({ code: "MERGE_CONFLICT", branch, base, files });
  return { expected: resolved.tree, backlog: resolved.text };
}

type MergePreviewRequest = Pick<Merge, "git" | "person" | "branch" | "base" | "commit" | "baseTip">;
type Foreseen = Pick<Merge, "expected" | "backlog">;

/**
 * Undoes a merge killed before its commit, which leaves the result in index and working tree. Does this only if the
 * index is exactly that result: then it contains nothing of the user's.
 */
async function clearLeftovers({ git, person, base, expected }: Merge): Promise<boolean> {
  if (expected === null || (await readFacts(git)).branch !== base) return false;
  const staged = await git(["write-tree"]);
  const isLeftover = staged.status === 0 && staged.stdout.toString("latin1").trim() === expected;
  if (!isLeftover || !(await hasStaged(git, "HEAD"))) return false;
  await must(person(resetting), "reset");
  return true;
}

/** Clears the mark of a merge killed just after its commit, with nothing left to do. */
async function clearMark({ git, person, repository, commit }: Merge): Promise<void> {
  if (readMergeInProgress(repository) !== commit || (await hasStaged(git, "HEAD"))) return;
  await must(person(resetting), "reset");
}

const MAX_MERGE_HEAD_BYTES = 64 * 1024;

/** Returns the commit of an unfinished merge; null if no merge is in progress. */
export function readMergeInProgress({ gitDir }: Repository): string | null {
  try {
    return readSmall(nodeFiles, join(gitDir, "MERGE_HEAD"), MAX_MERGE_HEAD_BYTES)?.toString("latin1").trim() ?? null;
  } catch {
    return ""; // not a plain file, or no permission
  }
}

/** Rejects staged changes before the branch is left, because git refuses to merge with them. */
export async function refuseStaged({ git }: Merge): Promise<void> {
  if (await hasStaged(git, "HEAD")) throw gitFailed("merge", "there are staged changes; commit or unstage them");
}

async function hasStaged(git: Git, commit: string): Promise<boolean> {
  return (await git(["diff-index", "--cached", "--quiet", "--no-ext-diff", commit])).status !== 0;
}

/**
 * Completes a killed switch to the base, which left files and index at the base but HEAD on the branch. As staged
 * changes, these would revert all the work. Does this only if the index is exactly the base, and rejects locks of git
 * first.
 */
export async function finishSwitch({ git, repository, base, baseTip }: Merge): Promise<void> {
  await refuseLocked(repository);
  const here = await readFacts(git);
  if (here.branch === base || here.head === null || !(await hasStaged(git, "HEAD"))) return;
  const isThere = !(await hasStaged(git, baseTip));
  if (isThere)
    await must(git(["symbolic-ref", "-m", "isdlc: on with the switch", "HEAD", `refs/heads/${base}`]), "symbolic-ref");
}

/** Switches to the base. Returns the earlier position of the user. */
export async function goToBase({ git, person, base, baseTip }: Merge): Promise<RepositoryFacts> {
  const before = await readFacts(git);
  if (before.branch === base) return before;
  if (before.head !== null) await refuseLostDeletions(git, { from: before.head, to: baseTip });
  await must(person([...switching, "--no-guess", base]), "switch");
  return before;
}

/**
 * Merges in a temporary working tree, because user changes block the switch to the base. After the merge, the files
 * with these changes are the same on the base, and nothing blocks the switch.
 */
async function mergeInTemporaryTree(merge: Merge): Promise<MergeOutcome> {
  const outcome = await mergeAside(merge);
  if (outcome.is === "merged") await goToBase({ ...merge, baseTip: outcome.commit });
  return outcome;
}

async function performMerge(merge: Merge, before: RepositoryFacts): Promise<MergeOutcome> {
  const { git, branch, base, repository } = merge;
  const failure = await tryMerge(merge);
  const merged = await findMerge({ ...merge, baseTip: await requireTip(git, base) });
  if (merged !== null && readMergeInProgress(repository) === null) return judge(merge, before, merged);
  const files = await unmergedFiles(git);
  await takeBack(merge, before);
  throw files.length > 0 ? new ProblemError({ code: "MERGE_CONFLICT", branch, base, files }) : failure;
}

/** Compares the merge with the request after hooks ran. Another merge is undone. */
async function judge(merge: Merge, before: RepositoryFacts, merged: string): Promise<MergeOutcome> {
  const { git, person, repository, commit, onto, expected } = merge;
  const { tree, parents } = await readCommit(repository, merged);
  const isAsked = parents.length === 2 && parents[0] === onto && parents[1] === commit;
  if (isAsked && (expected === null || tree === expected)) return { is: "merged", commit: merged };
  const [first] = parents;
  if (first !== undefined && parents.includes(commit))
    await must(person(["reset", "--quiet", "--keep", first]), "reset");
  await takeBack(merge, before);
  if (!isAsked || expected === null) return { is: "moved" };
  return { is: "changed", changes: (await changesBetween(git, { from: expected, to: tree })) ?? [] };
}

export async function takeBack(merge: Merge, before: RepositoryFacts): Promise<void> {
  const { git, person, repository } = merge;
  if (readMergeInProgress(repository) !== null) await must(person(["merge", "--abort"]), "merge --abort");
  else await clearLeftovers(merge);
  if ((await readFacts(git)).branch === before.branch) return;
  const target = before.branch === null ? ["--detach", before.head ?? "HEAD"] : ["--no-guess", before.branch];
  await must(person([...switching, ...target]), "switch");
}
