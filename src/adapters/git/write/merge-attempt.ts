import type { MergeRequest } from "../../../ports/vcs.ts";
import { type Git, must } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import { gitFailed, lastWords } from "../process/run-git.ts";
import type { Repository } from "../read/repository.ts";
import { refuseLostDeletions, refuseOverwrites } from "./refuse-loss.ts";
import { concludeWith } from "./resolve-backlog.ts";

export type Merge = MergeRequest & {
  readonly repository: Repository;
  readonly git: Git;
  readonly person: Git;
  readonly baseTip: string;
  /** Tree that the merge will have; null if git cannot compute it in advance. */
  readonly expected: string | null;
  /** Merged backlog, if git alone would leave a conflict in it. */
  readonly backlog: Buffer | null;
};

/**
 * Tries to merge. Returns the error to report if the merge is missing: callers read the result from the repository,
 * not from git's answer.
 */
export async function tryMerge({ git, person, repository, ...merge }: Merge): Promise<unknown> {
  const options = ["--no-ff", "--commit", "--no-squash", "--no-autostash", "--quiet"];
  const move = { from: merge.baseTip, to: merge.expected ?? merge.commit };
  try {
    await refuseLostDeletions(git, move);
    await refuseOverwrites(git, repository.top, move);
    const done = await person(["merge", ...options, "-m", merge.message, merge.commit]);
    if (done.status !== 0 && merge.backlog !== null && (await unmergedFiles(git)).length === 1)
      await concludeWith(person, repository.top, merge.backlog);
    return gitFailed("merge", lastWords(done));
  } catch (error) {
    return error;
  }
}

export async function unmergedFiles(git: Git): Promise<string[]> {
  const fields = splitFields(await must(git(["ls-files", "--unmerged", "-z"]), "ls-files"));
  return [...new Set(fields.map((field) => decodePath(field.subarray(field.indexOf(0x09) + 1))))];
}
