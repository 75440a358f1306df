import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import type { MergeOutcome, MergeRequest, RepositoryFacts } from "../../../ports/vcs.ts";
import { hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../process/personal-git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import { readFacts, readBranchTip } from "../read/git-read.ts";
import { readCommit } from "../read/commit-object.ts";
import { changesBetween } from "../snapshot/tree-diff.ts";
import { resolveBacklog } from "./resolve-backlog.ts";
import { isInTheWay, mergeAside } from "./merge-aside.ts";
import { type Merge, tryMerge, unmergedFiles } from "./merge-attempt.ts";
import { refuseLocked, refuseLostDeletions } from "./refuse-loss.ts";
import { isObjectId, requireBranchName } from "../snapshot/ref-name.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";

/** How many commits back on the base branch a merge of the same commit is looked for. */
export const probeDepth = 500;

const switching = ["switch", "--quiet", "--no-overwrite-ignore"];
/** Keeps what is not staged. */
const resetting = ["reset", "--quiet", "--merge", "HEAD"];

/**
 * Merges just the commit onto just the base that were asked for and stays there. Whatever fails, and whatever turns out
 * to be something else, the person is back where they were.
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
  if (!(await clearLeftovers(merge)) && (await readMergeInProgress(repository)) !== null) {
    throw gitFailed("merge", "another merge is not finished");
  }
  await finishSwitch(merge);
  await refuseStaged(merge);
  if (await isInTheWay(merge)) return mergeInTemporaryTree(merge);
  const before = await goToBase(merge);
  return performMerge(merge, before);
}

/** True once the base has this merge, with the tree that follows from its parents. */
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
 * Takes back what a killed merge left, so that the branch can be gone to again.
 * @throws ProblemError MERGE_CONFLICT where the merge would conflict; changes nothing then.
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

/** Merges on the base that brought the commit in. */
async function findMerges({ git, commit, baseTip }: Merge): Promise<FoundMerge[]> {
  const args = ["rev-list", "--first-parent", "--merges", "--parents", `--max-count=${probeDepth}`, baseTip];
  const lines = (await must(git(args), "rev-list")).toString("latin1").split("\n");
  return lines
    .map((line) => line.split(" "))
    .map(([id = "", ...parents]) => ({ id, parents }))
    .filter(({ parents }) => parents.slice(1).includes(commit));
}

/** The merge that brought the commit in, or the base itself when it has it otherwise. */
async function findMerge(merge: Merge): Promise<string | null> {
  const { git, commit, baseTip } = merge;
  const [merged] = await findMerges(merge);
  if (merged !== undefined) return merged.id;
  const isContained = await git(["merge-base", "--is-ancestor", commit, baseTip]);
  return isContained.status === 0 ? baseTip : null;
}

/** The tree the merge will give, worked out without touching any file. Null where git is too old to say (before 2.38). */
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
 * A git killed in the middle of a merge leaves the result in index and tree without a commit. Only when the index is
 * exactly that result, so that nothing of the person's is in it, is it taken back.
 */
async function clearLeftovers({ git, person, base, expected }: Merge): Promise<boolean> {
  if (expected === null || (await readFacts(git)).branch !== base) return false;
  const staged = await git(["write-tree"]);
  const isLeftover = staged.status === 0 && staged.stdout.toString("latin1").trim() === expected;
  if (!isLeftover || !(await hasStaged(git, "HEAD"))) return false;
  await must(person(resetting), "reset");
  return true;
}

/** One killed just after the commit leaves the mark of a merge under way, with nothing left to do. */
async function clearMark({ git, person, repository, commit }: Merge): Promise<void> {
  if ((await readMergeInProgress(repository)) !== commit || (await hasStaged(git, "HEAD"))) return;
  await must(person(resetting), "reset");
}

/** What is being merged by an unfinished merge; null where none is under way. */
export async function readMergeInProgress({ gitDir }: Repository): Promise<string | null> {
  return readFile(join(gitDir, "MERGE_HEAD"), "latin1").then(
    (text) => text.trim(),
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? null : ""),
  );
}

/** Git refuses to merge with anything staged; said here, before a branch is left. */
export async function refuseStaged({ git }: Merge): Promise<void> {
  if (await hasStaged(git, "HEAD")) throw gitFailed("merge", "there are staged changes; commit or unstage them");
}

async function hasStaged(git: Git, commit: string): Promise<boolean> {
  return (await git(["diff-index", "--cached", "--quiet", "--no-ext-diff", commit])).status !== 0;
}

/**
 * A git killed while it went to the base may have left files and index as the base has them, and HEAD on the branch.
 * Read as staged changes, that would take back all the work. Only when the index is exactly the base is it gone on with.
 */
export async function finishSwitch({ git, repository, base, baseTip }: Merge): Promise<void> {
  await refuseLocked(repository);
  const here = await readFacts(git);
  if (here.branch === base || here.head === null || !(await hasStaged(git, "HEAD"))) return;
  const isThere = !(await hasStaged(git, baseTip));
  if (isThere)
    await must(git(["symbolic-ref", "-m", "isdlc: on with the switch", "HEAD", `refs/heads/${base}`]), "symbolic-ref");
}

/** Returns where the person was. */
export async function goToBase({ git, person, base, baseTip }: Merge): Promise<RepositoryFacts> {
  const before = await readFacts(git);
  if (before.branch === base) return before;
  if (before.head !== null) await refuseLostDeletions(git, { from: before.head, to: baseTip });
  await must(person([...switching, "--no-guess", base]), "switch");
  return before;
}

/** Beside the files that are in the way of going to the base; once they are the same there, nothing is in the way. */
async function mergeInTemporaryTree(merge: Merge): Promise<MergeOutcome> {
  const outcome = await mergeAside(merge);
  if (outcome.is === "merged") await goToBase({ ...merge, baseTip: outcome.commit });
  return outcome;
}

async function performMerge(merge: Merge, before: RepositoryFacts): Promise<MergeOutcome> {
  const { git, branch, base, repository } = merge;
  const failure = await tryMerge(merge);
  const merged = await findMerge({ ...merge, baseTip: await requireTip(git, base) });
  if (merged !== null && (await readMergeInProgress(repository)) === null) return judge(merge, before, merged);
  const files = await unmergedFiles(git);
  await takeBack(merge, before);
  throw files.length > 0 ? new ProblemError({ code: "MERGE_CONFLICT", branch, base, files }) : failure;
}

/** What was merged is compared with what was asked for, after hooks had their say; another merge is undone. */
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
  if ((await readMergeInProgress(repository)) !== null) await must(person(["merge", "--abort"]), "merge --abort");
  else await clearLeftovers(merge);
  if ((await readFacts(git)).branch === before.branch) return;
  const target = before.branch === null ? ["--detach", before.head ?? "HEAD"] : ["--no-guess", before.branch];
  await must(person([...switching, ...target]), "switch");
}
