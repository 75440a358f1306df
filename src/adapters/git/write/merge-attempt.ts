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
  /** The tree the merge will give; null where git cannot say beforehand. */
  readonly expected: string | null;
  /** What becomes of the backlog, where git alone would leave a conflict in it. */
  readonly backlog: Buffer | null;
};

/** What went wrong, if anything: whether the merge is there is read from the repository, not from the answer. */
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
