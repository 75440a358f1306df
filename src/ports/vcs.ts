import type { FileChange, RepositoryStanding } from "../schema/facts.ts";
import type { AttemptId, CommitId, RunId, TreeId } from "../schema/ids.ts";

export type RepositoryFacts = {
  /** Commit of the working tree. Null before the first commit. */
  readonly head: CommitId | null;
  /** Branch name. Null if HEAD is detached. */
  readonly branch: string | null;
};

/** Queries to the version control system. They run no command configured by the repository. */
export interface VcsRead {
  /** Returns null if there is no usable repository (no git, no repository, refused by git itself). */
  facts(): Promise<RepositoryFacts | null>;
  /** Returns uncommitted changes outside the given folders. Never runs filters or monitors of the repository. */
  dirty(except: readonly string[]): Promise<readonly FileChange[]>;
  branchExists(name: string): Promise<boolean>;
  /** Returns the names of item folders (`REQ-0001-…`) in a root folder, in this tree and on every local branch. */
  itemNames(root: string): Promise<readonly string[]>;
}

/** Documents of the engine. `edit` changes them in a folder that contains their version from the tree. */
export type EditedDocuments = {
  readonly paths: readonly string[];
  readonly edit: (folder: string) => void | Promise<void>;
};

/** Difference between two snapshots, to apply to a commit. */
export type ComposeRequest = {
  /** Null before the first commit. */
  readonly onto: CommitId | TreeId | null;
  readonly from: TreeId;
  readonly to: TreeId;
  /**
   * Folders of the work itself. Snapshots contain their files even if git ignores them; ignored files are not
   * committed.
   */
  readonly include: readonly string[];
  /** Only files in these folders. Missing: all files. */
  readonly only?: readonly string[];
  /** Files taken from `to` unchanged, regardless of when they were written. */
  readonly also?: readonly string[];
  readonly documents?: EditedDocuments;
  /** Tree at a return to the phase. A file committed in this version contains no user edits. */
  readonly returned?: TreeId | null;
  /** Overlapping files that the user allowed to be committed with their own edits. */
  readonly together?: readonly string[];
};

export type ComposedTree = {
  readonly tree: TreeId;
  /** Files with uncommitted user edits that cannot be separated from the changes. Left out unless a user agreed. */
  readonly mixed: readonly string[];
  /** Files with a filter defined only in this repository's settings. The filter was not run. */
  readonly unfiltered: readonly string[];
};

/** A commit to create. The same request gives the same commit, unless hooks or signing change it. */
export type PrepareRequest = {
  readonly message: string;
  /** Trailer value to recognize the commit. */
  readonly attempt: AttemptId;
  /** Head of the journal, as a trailer, for a commit that no event names. Null for all others. */
  readonly journal: string | null;
  /** Parent commit. Null for the first commit. */
  readonly parent: CommitId | null;
  readonly tree: TreeId;
  /** Author and committer time, from the journal. */
  readonly at: string;
  /** Ref name under `refs/isdlc/<run>` for the commit. */
  readonly keep: { readonly run: RunId; readonly name: string };
};

export type PreparedCommit = {
  /** Null if the tree equals that of the parent. */
  readonly commit: CommitId | null;
  /** Tree of the commit, with the changes of hooks. */
  readonly tree: TreeId;
  /** Changes by hooks. */
  readonly changes: readonly FileChange[];
};

/** A move of the run's branch to a prepared commit. */
export type AdvanceRequest = {
  /** The run's branch. Null if the run works on the checked out branch or commit. */
  readonly branch: string | null;
  readonly parent: CommitId | null;
  readonly commit: CommitId | null;
};

export type CommitRequest = PrepareRequest & Pick<AdvanceRequest, "branch">;

/** Someone else moved the branch or HEAD. Nothing was committed. */
type MovedBranch = { readonly is: "moved" };

export type AdvanceResult =
  /** Null if the tree equals that of the parent. */
  { readonly is: "done"; readonly commit: CommitId | null } | MovedBranch;

export type CommitResult =
  | AdvanceResult
  /** Hooks changed the content to commit. The branch did not move. */
  | { readonly is: "changed"; readonly changes: readonly FileChange[] };

export type MergeRequest = {
  readonly branch: string;
  readonly base: string;
  /** Exact commit to merge, and exact commit of the base to merge onto. */
  readonly commit: CommitId;
  readonly onto: CommitId;
  readonly message: string;
  /** True to merge as one commit on the base, without a merge commit. */
  readonly isSquash?: boolean;
};

export type MergeOutcome =
  | { readonly is: "merged"; readonly commit: CommitId }
  | { readonly is: "moved" }
  | { readonly is: "changed"; readonly changes: readonly FileChange[] };

/**
 * Changes to the repository. Uses the user's hooks and signing. Checks first if the change already exists, and can
 * therefore be repeated safely.
 */
export interface VcsWrite {
  /** Returns the current commit of the working tree. Null before the first commit. */
  head(): Promise<CommitId | null>;
  /** Returns the commit of a branch. Null if the branch does not exist. */
  tip(branch: string): Promise<CommitId | null>;
  /** Returns the merge base of two branches, if any. */
  forkPoint(one: string, other: string): Promise<CommitId | null>;
  /** Creates the branch at the commit and switches to it. Uncommitted changes are carried over. */
  startBranch(branch: string, commit: CommitId): Promise<void>;
  /**
   * Switches back to an earlier branch, which may have advanced beyond the commit. Fails if the branch no longer
   * contains the commit.
   */
  returnToBranch(branch: string, commit: CommitId): Promise<void>;
  /** Returns the current state of HEAD, the run's branch, its base and the git settings. */
  standing(branch: string | null, base: string | null): Promise<RepositoryStanding>;
  /**
   * Returns a limited number of commits that only `to` contains, newest first. Empty if `to` no longer contains
   * `from`.
   */
  commitsBetween(from: CommitId | null, to: CommitId): Promise<readonly CommitId[]>;
  /** Builds the tree for a commit of accepted changes. Reads snapshots, never the working tree. */
  compose(request: ComposeRequest): Promise<ComposedTree>;
  /** Creates a commit without moving a branch. The user's hooks and signing apply. */
  prepare(request: PrepareRequest): Promise<PreparedCommit>;
  /** Moves the branch to a prepared commit. If repeated, finds it moved. */
  advance(request: AdvanceRequest): Promise<AdvanceResult>;
  /** Commits exactly this tree. If repeated, finds the existing commit. The user's hooks and signing apply. */
  commit(request: CommitRequest): Promise<CommitResult>;
  /**
   * Removes the remains of an interrupted merge of these two commits.
   * @throws ProblemError MERGE_CONFLICT if a merge would conflict. Changes nothing then.
   */
  prepareMerge(request: Omit<MergeRequest, "message">): Promise<void>;
  /**
   * Returns true if the base contains a merge of exactly `commit` onto exactly `onto`, with the tree that results from
   * both.
   */
  isMerged(request: Omit<MergeRequest, "message">): Promise<boolean>;
  /**
   * Merges with a merge commit, or as one commit, and ends on the base branch. If it fails, everything stays
   * unchanged.
   */
  merge(request: MergeRequest): Promise<MergeOutcome>;
}

/** Exact number, or unknown. */
type CommitCount = number | "unknown";

export type Distance = {
  /** Number of all commits of HEAD that are missing in the older commit. */
  readonly commits: CommitCount;
  /**
   * Files that differ between the two git trees, except in the excluded folders. "unknown" if git cannot compare them.
   */
  readonly changed: readonly string[] | "unknown";
};

/** Distance of the code from an earlier commit. Never throws, and runs no command configured by the repository. */
export interface CodeHistory {
  /** Returns the full id of HEAD. Null if there is no commit to compare with. Read only once. */
  head(): Promise<string | null>;
  /**
   * Returns the distance of HEAD from a commit, given by its full or abbreviated id. Commits that touch only excluded
   * paths leave `changed` empty.
   */
  since(hash: string, except?: readonly string[]): Promise<Distance>;
  /** Returns the changes to these files from a commit to HEAD as a patch. Null if git cannot compare them. */
  patch(hash: string, paths: readonly string[]): Promise<string | null>;
}

/**
 * Programs that git would start by itself in this working tree: hooks, and settings that name a program or include
 * other settings.
 */
export interface GitPrograms {
  /** Records the existing programs before an agent writes. Only the first call has an effect. */
  remember(): Promise<void>;
  /** Returns new or changed programs since then, each with the command to remove it. */
  added(): Promise<readonly string[]>;
  /** Returns sentences about programs that isdlc commits skip because no user approved them. */
  leftOut(): Promise<readonly string[]>;
}

/** A hook or a setting of the repository, with the digest of the program it would run. */
export type GitProgram = { readonly name: string; readonly digest: string };

/** Hooks and settings of the repository that a user allowed to run at commits and merges. */
export interface TrustedGitPrograms {
  /** Returns the existing programs that would not run. */
  untrusted(): Promise<readonly GitProgram[]>;
  trust(programs: readonly GitProgram[]): void;
}
