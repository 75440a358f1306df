import type { CommitId, RunId } from "../schema/ids.ts";
import type { MergeOutcome } from "./vcs.ts";

/** A request that was not carried out. Nothing was changed. */
export type WorktreeRefusal<Why extends string> = {
  readonly ok: false;
  /** Stable: for programs to tell the reasons apart. */
  readonly why: Why;
  /** What happened and what a person can do about it, in one or two sentences. */
  readonly fix: string;
  /** Paths, branches or runs it is about. They come from the repository: not to be shown unescaped. */
  readonly about: readonly string[];
};

export type WorktreeRequest = {
  readonly branch: string;
  /** `../<name>`, beside the main working tree, or that place as an absolute path. */
  readonly path: string;
  /** Local branch or full commit id that a new branch begins at. */
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
  /** What an item's file keeps: `../<name>`. */
  readonly stored: string;
  readonly branch: string;
  /** False when it was there already, from an earlier call that was interrupted. */
  readonly isNew: boolean;
  /** Files with settings that were brought along. */
  readonly inherited: readonly string[];
};

export type UnfinishedWork = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect";

export type Stash = { readonly name: string; readonly subject: string };

/** Everything in a linked working tree that its removal could endanger. */
export type WorktreeState = {
  readonly path: string;
  /** Null when detached. */
  readonly branch: string | null;
  readonly head: CommitId | null;
  /** Staged, edited, deleted and new files; also those git was told not to look at. */
  readonly uncommitted: readonly string[];
  /** Ignored files, which git would remove without a word. A whole folder of them ends in a slash. Not `.isdlc`. */
  readonly ignored: readonly string[];
  /** Commits that the base does not have; null when there is no such base. */
  readonly unmerged: number | null;
  /** Commits that no remote-tracking branch has; null when there is none to compare with. */
  readonly unpushed: number | null;
  /** Made on its branch. They belong to the repository and outlive the tree. */
  readonly stashes: readonly Stash[];
  readonly operation: UnfinishedWork | null;
  /** Why it is locked; null when it is not. */
  readonly locked: string | null;
  readonly openRuns: readonly string[];
  /** Folders inside it with a repository or working tree of their own. */
  readonly nested: readonly string[];
  readonly hasSubmodules: boolean;
};

export type RemoveRequest = {
  readonly path: string;
  /** Local branch that its commits should be in. */
  readonly base: string;
  /** Folder of the caller: nobody's own folder is removed. */
  readonly cwd: string;
  /** Ignored files and folders as `worktreeState` named them, which a person agreed to lose. */
  readonly agreedToLose?: readonly string[];
  /** Commits that are not in the base may stay on their branch; without this they are a reason to refuse. */
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
  /** The branch it was on, which is still there. */
  readonly branch: string | null;
  /** Where its `.isdlc` files are now, relative to the main working tree. */
  readonly carried: readonly string[];
  /** Refs that keep commits which only this tree still knew. */
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

/** The working trees and branches of a repository, for what has to be cleaned up once work has ended. */
export interface Worktrees {
  /** The main working tree; null without git. */
  main(): string | null;
  remove(request: RemoveRequest): Promise<RemovedWorktree | WorktreeRefusal<RemoveRefusal>>;
  /** Deletes a branch whose every commit is in the base. */
  deleteMerged(branch: {
    readonly branch: string;
    readonly base: string;
  }): Promise<DeletedBranch | WorktreeRefusal<BranchRefusal>>;
  /** Deletes a branch after its tip was kept under a ref. */
  keepThenDelete(branch: string): Promise<DeletedBranch | WorktreeRefusal<BranchRefusal>>;
  /** Removes the snapshots of a run, but for those whose name is to be kept. */
  forgetSnapshots(run: RunId, isKept: (name: string) => boolean): Promise<void>;
}
