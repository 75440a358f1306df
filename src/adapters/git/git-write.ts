import type { VcsWrite } from "../../ports/vcs.ts";
import { commitPaths } from "./commit-paths.ts";
import { hardenedGit } from "./git.ts";
import { readFacts, tipOf } from "./git-read.ts";
import { mergeBranch } from "./merge-branch.ts";
import { isBranchName } from "./ref-name.ts";
import { repositoryAt } from "./repository.ts";
import { returnToBranch, startBranch } from "./start-branch.ts";

/**
 * Changes to the repository around `cwd`; paths are relative to the top of its working tree. Hooks, filters and signing
 * of the person apply. Every call first looks whether it already happened.
 */
export function createGitWrite(cwd: string): VcsWrite {
  const open = repositoryAt(cwd);
  return {
    head: async () => (await readFacts(hardenedGit((await open()).top))).head,
    tip: async (branch) => (isBranchName(branch) ? tipOf(hardenedGit((await open()).top), branch) : null),
    startBranch: async (branch, commit) => startBranch(await open(), branch, commit),
    returnToBranch: async (branch, commit) => returnToBranch(await open(), branch, commit),
    commit: async (request) => commitPaths(await open(), request),
    merge: async (request) => mergeBranch(await open(), request),
  };
}
