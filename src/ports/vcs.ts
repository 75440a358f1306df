import type { FileChange, RepositoryStanding } from "../schema/facts.ts";
import type { AttemptId, CommitId, RunId, TreeId } from "../schema/ids.ts";

export type RepositoryFacts = {
  /** Commit the working tree is at; null before the first commit. */
  readonly head: CommitId | null;
  /** Branch name; null when detached. */
  readonly branch: string | null;
};

/** Questions to the version control system. Nothing the repository configures is executed. */
export interface VcsRead {
  /** Null when there is no usable repository (no git, no repository, refused by git itself). */
  facts(): Promise<RepositoryFacts | null>;
  /** Uncommitted changes outside the given folders; never runs filters or monitors of the repository. */
  dirty(except: readonly string[]): Promise<readonly FileChange[]>;
  branchExists(name: string): Promise<boolean>;
  /** Names of item folders (`REQ-0001-…`) below a root, in this tree and on every local branch. */
  itemNames(root: string): Promise<readonly string[]>;
}

/** Documents of the engine: `edit` writes them in a folder that has them as the tree does. */
export type EditedDocuments = {
  readonly paths: readonly string[];
  readonly edit: (folder: string) => void | Promise<void>;
};

/** What is different between two snapshots, to be put onto a commit. */
export type ComposeRequest = {
  /** Null before the first commit. */
  readonly onto: CommitId | TreeId | null;
  readonly from: TreeId;
  readonly to: TreeId;
  /** Folders of the work itself: their files are in snapshots though git is told to ignore them, and are not committed then. */
  readonly include: readonly string[];
  /** Only what is below these; all of it when left out. */
  readonly only?: readonly string[];
  /** Taken from `to` as they are, whenever they were written. */
  readonly also?: readonly string[];
  readonly documents?: EditedDocuments;
  /** The tree at a return to the phase: a file that was committed as it was then has no lines of the person. */
  readonly returned?: TreeId | null;
  /** Files that the person lets be committed with lines of their own in them. */
  readonly together?: readonly string[];
};

export type ComposedTree = {
  readonly tree: TreeId;
  /** Files with uncommitted lines of the person that cannot be told apart from the changes: left out unless agreed to. */
  readonly mixed: readonly string[];
  /** Files with a filter that only this repository's settings name: it was not run. */
  readonly unfiltered: readonly string[];
};

export type CommitRequest = {
  readonly message: string;
  /** Trailer value that makes the commit findable again after a crash. */
  readonly attempt: AttemptId;
  readonly journal: string;
  /** The run's branch; null where it works on whatever is checked out. */
  readonly branch: string | null;
  /** Commit that it follows; null for the first. */
  readonly parent: CommitId | null;
  readonly tree: TreeId;
  /** Name under `refs/isdlc/<run>` that keeps what hooks made instead, so that a person can accept just that. */
  readonly keep: { readonly run: RunId; readonly name: string };
};

export type CommitResult =
  /** Null: the tree is that of the parent. */
  | { readonly is: "done"; readonly commit: CommitId | null }
  /** Somebody else moved the branch or HEAD; nothing was committed. */
  | { readonly is: "moved" }
  /** Hooks changed what was to be committed. The branch is where it was. */
  | { readonly is: "changed"; readonly tree: TreeId; readonly changes: readonly FileChange[] };

export type MergeRequest = {
  readonly branch: string;
  readonly base: string;
  /** The commit that is merged, and the one of the base that it is merged onto: these two and no others. */
  readonly commit: CommitId;
  readonly onto: CommitId;
  readonly message: string;
  /** As one commit on the base, without a merge. */
  readonly isSquash?: boolean;
};

export type MergeOutcome =
  | { readonly is: "merged"; readonly commit: CommitId }
  | { readonly is: "moved" }
  | { readonly is: "changed"; readonly changes: readonly FileChange[] };

/** Changes to the repository. Respects the person's hooks and signing; probes first, so that repeating is harmless. */
export interface VcsWrite {
  /** Commit the working tree is at now; null before the first. */
  head(): Promise<CommitId | null>;
  /** Commit a branch is at; null when there is no such branch. */
  tip(branch: string): Promise<CommitId | null>;
  /** The last commit that two branches have in common; null where there is none. */
  forkPoint(one: string, other: string): Promise<CommitId | null>;
  /** Creates the branch at the commit and goes to it, carrying uncommitted work along. */
  startBranch(branch: string, commit: CommitId): Promise<void>;
  /** Goes back to a branch begun before, wherever it is now beyond the commit; refuses one that has lost it. */
  returnToBranch(branch: string, commit: CommitId): Promise<void>;
  /** Where HEAD, the run's branch, its base and the settings of git stand. */
  standing(branch: string | null, base: string | null): Promise<RepositoryStanding>;
  /** Commits that the second has and the first has not, newest first and only so many; none where it has lost the first. */
  commitsBetween(from: CommitId | null, to: CommitId): Promise<readonly CommitId[]>;
  /** The tree that a commit of accepted changes has; reads snapshots, never the working tree. */
  compose(request: ComposeRequest): Promise<ComposedTree>;
  /** Commits exactly a tree; finds its own commit again when repeated. Hooks and signing of the person apply. */
  commit(request: CommitRequest): Promise<CommitResult>;
  /**
   * Takes back what a killed merge of the two left.
   * @throws ProblemError MERGE_CONFLICT where a merge would conflict; changes nothing then.
   */
  prepareMerge(request: Omit<MergeRequest, "message">): Promise<void>;
  /** True once the base has a merge of just this commit onto just that one, with the tree that follows from the two. */
  isMerged(request: Omit<MergeRequest, "message">): Promise<boolean>;
  /** Merges with a merge commit, or as one commit, and ends on the base branch; leaves everything as it was when that cannot be. */
  merge(request: MergeRequest): Promise<MergeOutcome>;
}
