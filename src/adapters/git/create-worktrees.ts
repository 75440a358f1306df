import type { Worktrees } from "../../ports/worktrees.ts";
import type { GitCaller } from "./read/personal-git.ts";
import { orNull, repositoryAt } from "./read/repository.ts";
import { deleteMergedBranch, keepThenDelete } from "./worktree/worktree-branch.ts";
import { findMainTree } from "./worktree/worktree-location.ts";
import { removeWorktree } from "./worktree/worktree-remove.ts";
import { forgetSnapshots } from "./snapshot/private-repository.ts";

export function createWorktrees(root: string, caller: GitCaller): Worktrees {
  let known: string | null = null; // read while this working tree exists: it may be the one to remove
  const find = (): string | null => (known ??= findMainTree(root));
  const main = (): string => find() ?? root;
  return {
    main: find,
    remove: (request) => removeWorktree(main(), request, caller.env),
    deleteMerged: (branch) => deleteMergedBranch(main(), branch, caller),
    keepThenDelete: (branch) => keepThenDelete(main(), branch, caller),
    async forgetSnapshots(run, isKept) {
      const repository = await orNull(repositoryAt(root, caller));
      if (repository !== null) await forgetSnapshots(repository, run, isKept);
    },
  };
}
