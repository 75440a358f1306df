import type { Worktrees } from "../../../ports/worktrees.ts";
import { forgetSnapshots } from "../snapshot/forget-snapshots.ts";
import { deleteMergedBranch, keepThenDelete } from "./worktree-branch.ts";
import { mainTreeOf } from "./worktree-location.ts";
import { removeWorktree } from "./worktree-remove.ts";

export function createWorktrees(root: string): Worktrees {
  const main = (): string => mainTreeOf(root) ?? root;
  return {
    main: () => mainTreeOf(root),
    remove: (request) => removeWorktree(main(), request),
    deleteMerged: (branch) => deleteMergedBranch(main(), branch),
    keepThenDelete: (branch) => keepThenDelete(main(), branch),
    forgetSnapshots: (run, isKept) => forgetSnapshots(root, run, isKept),
  };
}
