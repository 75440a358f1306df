import type { MergeOutcome, MergeRequest, RepositoryFacts } from "../../../ports/vcs.ts";
import { must } from "../process/git.ts";
import { gitFailed, lastWords } from "../process/run-git.ts";
import { readCommit } from "../snapshot/commit-object.ts";
import { readBranchTip } from "../read/git-read.ts";
import type { Repository } from "../read/repository.ts";
import {
  askedFor,
  finishSwitch,
  foresee,
  goToBase,
  isMergedAlready,
  mergeBranch,
  readMergeInProgress,
  probeDepth,
  refuseStaged,
  takeBack,
} from "./merge-branch.ts";
import { isInTheWay, moveBase } from "./merge-aside.ts";
import type { Merge } from "./merge-attempt.ts";
import { refuseLostDeletions, refuseOverwrites } from "./refuse-loss.ts";

/** Merges with a merge commit, or as one commit if requested. */
export const mergeOrSquash = (repository: Repository, request: MergeRequest): Promise<MergeOutcome> =>
  request.isSquash === true ? squashBranch(repository, request) : mergeBranch(repository, request);

/** Returns true if the base has the requested merge or squash. */
export async function isThereAlready(repository: Repository, request: Omit<MergeRequest, "message">): Promise<boolean> {
  if (request.isSquash !== true) return isMergedAlready(repository, request);
  return (await findSquash(await askedFor(repository, { ...request, message: "" }))) !== null;
}

/**
 * Adds all changes of the branch to the base as one commit: the tree of a merge, on exactly the requested base. The
 * commit is created before the switch: no state in between has to be undone.
 */
async function squashBranch(repository: Repository, request: MergeRequest): Promise<MergeOutcome> {
  const asked = await askedFor(repository, request);
  const done = await findSquash(asked);
  if (done !== null) {
    await goToBase(asked);
    return { is: "merged", commit: done };
  }
  if (asked.baseTip !== request.onto || (await readBranchTip(asked.git, request.branch)) !== request.commit)
    return { is: "moved" };
  if (readMergeInProgress(repository) !== null) throw gitFailed("merge", "another merge is not finished");
  const { expected } = await foresee(asked);
  if (expected === null) throw gitFailed("merge", "this git is too old for a squash (2.38 is needed)");
  await finishSwitch(asked);
  await refuseStaged(asked);
  const isNew = (await readCommit(repository, request.onto)).tree !== expected;
  const squash = isNew ? { ...asked, commit: await makeCommit(asked, expected) } : { ...asked, commit: request.onto };
  if (!(await isInTheWay({ ...asked, expected }))) return goForward(squash, await goToBase(asked));
  const outcome = await moveBase(asked, squash.commit);
  if (outcome.is === "merged") await goToBase({ ...asked, baseTip: squash.commit });
  return outcome;
}

export const squashTrailer = (commit: string): string => `Isdlc-Squashed: ${commit}`;

async function makeCommit({ person, onto, commit, message }: Merge, tree: string): Promise<string> {
  const input = Buffer.from(`${message.trimEnd()}\n\n${squashTrailer(commit)}\n`);
  const made = await must(person(["commit-tree", tree, "-p", onto, "-F", "-"], { input }), "commit-tree");
  return made.toString("latin1").trim();
}

/** Returns the one commit after the base whose trailer names the branch's commit. */
async function findSquash({ git, repository, baseTip, onto, commit }: Merge): Promise<string | null> {
  const args = ["rev-list", "--first-parent", "--parents", `--max-count=${probeDepth}`, baseTip];
  const lines = (await must(git(args), "rev-list")).toString("latin1").split("\n");
  const [id] = lines.map((line) => line.split(" ")).find((ids) => ids.length === 2 && ids[1] === onto) ?? [];
  if (id === undefined) return null;
  const { message } = await readCommit(repository, id);
  return message.trimEnd().endsWith(squashTrailer(commit)) ? id : null;
}

/**
 * Moves the base by fast-forward only. If the base moved in the meantime or a file is in the way, everything stays as
 * it was.
 */
async function goForward(squash: Merge, before: RepositoryFacts): Promise<MergeOutcome> {
  const { git, person, repository, base, baseTip, commit } = squash;
  try {
    const move = { from: baseTip, to: commit };
    await refuseLostDeletions(git, move);
    await refuseOverwrites(git, repository.top, move);
    const gone = await person(["merge", "--ff-only", "--no-autostash", "--quiet", commit]);
    if ((await readBranchTip(git, base)) === commit) return { is: "merged", commit };
    throw gitFailed("merge", lastWords(gone));
  } catch (error) {
    await takeBack(squash, before);
    throw error;
  }
}
