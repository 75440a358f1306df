import type { Worktrees } from "../../../ports/worktrees.ts";
import type { Allows } from "../process/personal-git.ts";
import { forgetSnapshots } from "../snapshot/forget-snapshots.ts";
import { deleteMergedBranch, keepThenDelete } from "./worktree-branch.ts";
import { mainTreeOf } from "./worktree-location.ts";
import { removeWorktree } from "./worktree-remove.ts";

export function createWorktrees(root: string, allows: Allows): Worktrees {
  let known: string | null = null; // found out while this tree is there: it may be the one that is removed
  const find = (): string | null => (known ??= mainTreeOf(root));
  const main = (): string => find() ?? root;
  return {
    main: find,
    remove: (request) => removeWorktree(main(), request),
    deleteMerged: (branch) => deleteMergedBranch(main(), { ...branch, allows }),
    keepThenDelete: (branch) => keepThenDelete(main(), { branch, allows }),
    forgetSnapshots: (run, isKept) => forgetSnapshots(root, run, isKept),
  };
}
