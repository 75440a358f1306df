import type { MergeRequest } from "../../../ports/vcs.ts";
import { type Git, must } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import { gitFailed, lastWords } from "../process/run-git.ts";
import type { Repository } from "../read/repository.ts";
import { refuseLostDeletions, refuseOverwrites } from "./refuse-loss.ts";
import { concludeWith } from "./resolve-backlog.ts";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import type { TreeEntry } from "../objects/tree-entries.ts";

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

type Three = { readonly before: TreeEntry; readonly after: TreeEntry; readonly committed: TreeEntry };

const isPlainFile = ({ mode }: TreeEntry): boolean => mode.startsWith("100");

/**
 * Returns the committed version of a file with only the attempt's changes, for a file with uncommitted lines from
 * before the attempt. Returns null if the two cannot be separated.
 */
export async function mergeBlobs(git: Git, { before, after, committed }: Three): Promise<TreeEntry | null> {
  if (committed.id === after.id || ![before, after, committed].every(isPlainFile))
    return after.id === committed.id ? after : null;
  return inTemporaryFolder(async (folder) => {
    const names = ["committed", "before", "after"];
    for (const [at, { id }] of [committed, before, after].entries())
      await writeFile(join(folder, names[at] ?? ""), await must(git(["cat-file", "blob", id]), "cat-file"));
    const paths = names.map((name) => join(folder, name));
    const merged = await git(["merge-file", "-p", "--quiet", ...paths]);
    if (merged.status !== 0) return null; // number of conflicts, or binary files
    const id = await must(git(["hash-object", "-w", "-t", "blob", "--stdin"], { input: merged.stdout }), "hash-object");
    return { mode: after.mode, id: id.toString("latin1").trim() };
  });
}
