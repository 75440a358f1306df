import type { CommitId, RunId } from "../schema/ids.ts";
import type { MergeOutcome } from "./vcs.ts";

/** A refused request. Nothing was changed. */
export type WorktreeRefusal<Why extends string> = {
  readonly ok: false;
  /** Stable code, for programs. */
  readonly why: Why;
  /** What happened and how the user can fix it, in one or two sentences. */
  readonly fix: string;
  /** Affected paths, branches or runs. They come from the repository: escape them for display. */
  readonly about: readonly string[];
};

export type WorktreeRequest = {
  readonly branch: string;
  /** `../<name>`, next to the main working tree, or the same place as an absolute path. */
  readonly path: string;
  /** Local branch or full commit id at which a new branch starts. */
  readonly base: string;
};

export type CreateRefusal =
  | "noRepository"
  | "bareRepository"
  | "noCommit"
  | "badBranch"
  | "noBase"
  | "badName"
  | "notBeside"
  | "parentIsLink"
  | "insideTree"
  | "pathTaken"
  | "cutOff"
  | "branchElsewhere"
  | "branchTaken"
  | "submodules"
  | "gitRefused";

export type CreatedWorktree = {
  readonly ok: true;
  readonly path: string;
  /** Path stored in an item's file: `../<name>`. */
  readonly stored: string;
  readonly branch: string;
  /** False if an earlier, interrupted call already created it. */
  readonly isNew: boolean;
  /** Copied settings files. */
  readonly inherited: readonly string[];
};

export type UnfinishedWork = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect";

export type Stash = { readonly name: string; readonly subject: string };

/** Everything in a linked working tree that could be lost by its removal. */
export type WorktreeState = {
  readonly path: string;
  /** Null if HEAD is detached. */
  readonly branch: string | null;
  readonly head: CommitId | null;
  /** Staged, edited, deleted and new files, including those git was configured to skip. */
  readonly uncommitted: readonly string[];
  /**
   * Ignored files, which git would delete without warning. Wholly ignored folders end with a slash. Excludes `.isdlc`.
   */
  readonly ignored: readonly string[];
  /** Number of commits missing in the base. Null if the base does not exist. */
  readonly unmerged: number | null;
  /** Number of commits missing in every remote-tracking branch. Null if no such branch exists. */
  readonly unpushed: number | null;
  /** Stashes made on its branch. They belong to the repository and survive the removal. */
  readonly stashes: readonly Stash[];
  readonly operation: UnfinishedWork | null;
  /** Reason of its lock. Null if it is not locked. */
  readonly locked: string | null;
  readonly openRuns: readonly string[];
  /** Folders inside it that contain another repository or working tree. */
  readonly nested: readonly string[];
  readonly hasSubmodules: boolean;
};

export type RemoveRequest = {
  readonly path: string;
  /** Local branch that should contain its commits. */
  readonly base: string;
  /** Current folder of the caller, which is never removed. */
  readonly cwd: string;
  /** Ignored files and folders, as listed in `WorktreeState`, that a user agreed to lose. */
  readonly agreedToLose?: readonly string[];
  /** Allows commits that are missing in the base to stay on their branch. Missing: such commits prevent the removal. */
  readonly unmerged?: "stayOnBranch";
};

export type RemoveRefusal =
  | "noRepository"
  | "isLink"
  | "notOurs"
  | "mainTree"
  | "insideIt"
  | "unreadable"
  | "locked"
  | "operation"
  | "submodules"
  | "nested"
  | "uncommitted"
  | "runOpen"
  | "ignoredFiles"
  | "noBase"
  | "unmerged"
  | "gitRefused";

export type RemovedWorktree = {
  readonly ok: true;
  /** Its branch, which still exists. */
  readonly branch: string | null;
  /** New paths of its `.isdlc` files, relative to the main working tree. */
  readonly carried: readonly string[];
  /** Refs that back up commits known only to this working tree. */
  readonly kept: readonly string[];
};

export type BranchRefusal =
  | "noRepository"
  | "badBranch"
  | "noBranch"
  | "checkedOut"
  | "noBase"
  | "unmerged"
  | "gitRefused";

export type DeletedBranch = { readonly ok: true; readonly tip: CommitId; readonly ref: string | null };

export type MergeRefusal =
  | "noRepository"
  | "noBranch"
  | "noBase"
  | "mainElsewhere"
  | "uncommitted"
  | "conflict"
  | "gitRefused";

export type MergedBranch = { readonly ok: true; readonly outcome: MergeOutcome };

/** Working trees and branches of a repository, for the cleanup after work ended. */
export interface Worktrees {
  /** Returns the main working tree. Null without git. */
  main(): string | null;
  remove(request: RemoveRequest): Promise<RemovedWorktree | WorktreeRefusal<RemoveRefusal>>;
  /** Deletes a branch if the base contains all of its commits. */
  deleteMerged(branch: {
    readonly branch: string;
    readonly base: string;
  }): Promise<DeletedBranch | WorktreeRefusal<BranchRefusal>>;
  /** Deletes a branch after saving its tip under a ref. */
  keepThenDelete(branch: string): Promise<DeletedBranch | WorktreeRefusal<BranchRefusal>>;
  /** Deletes the snapshots of a run, except those for which `isKept` returns true. */
  forgetSnapshots(run: RunId, isKept: (name: string) => boolean): Promise<void>;
}
