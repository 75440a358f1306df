import { hardenedGit, must, personalGit } from "./git.ts";
import { readFacts, tipOf } from "./git-read.ts";
import { refuseLostDeletions } from "./refuse-loss.ts";
import { isObjectId, requireBranchName } from "./ref-name.ts";
import type { Repository } from "./repository.ts";
import { gitFailed } from "./run-git.ts";

/** Goes to the branch, made at the commit when there is none. A branch of that name elsewhere is someone else's. */
export async function startBranch({ top }: Repository, branch: string, commit: string): Promise<void> {
  requireBranchName(branch, "switch");
  if (!isObjectId(commit)) throw gitFailed("switch", `${JSON.stringify(commit)} is not a commit id`);
  const git = hardenedGit(top);
  const here = await readFacts(git);
  if (here.branch === branch && here.head !== null) {
    const isDescendant = await git(["merge-base", "--is-ancestor", commit, here.head]);
    if (isDescendant.status === 0) return;
  }
  const tip = await tipOf(git, branch);
  if (tip !== null && tip !== commit) throw gitFailed("switch", `a branch ${branch} already exists at ${tip}`);
  if (here.head !== null) await refuseLostDeletions(git, { from: here.head, to: commit });
  const target = tip === null ? ["--no-track", "--create", branch, commit] : ["--no-guess", branch];
  await must(personalGit(top)(["switch", "--quiet", "--no-overwrite-ignore", ...target]), "switch");
}
