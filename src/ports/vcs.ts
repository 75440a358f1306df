import type { FileChange } from "../schema/facts.ts";

export type RepositoryFacts = {
  /** Commit the working tree is at; null before the first commit. */
  readonly head: string | null;
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

export type CommitRequest = {
  readonly message: string;
  /** Trailer value that makes the commit findable again after a crash. */
  readonly attempt: string;
  readonly journal: string;
  readonly paths: readonly string[];
  /** A commit from before the attempt: as long as HEAD is there, no commit of the attempt has to be looked for. */
  readonly since?: string | null;
};

export type MergeRequest = { readonly branch: string; readonly base: string; readonly message: string };

/** Changes to the repository. Respects the person's hooks and signing; probes first, so that repeating is harmless. */
export interface VcsWrite {
  /** Commit the working tree is at now; null before the first. */
  head(): Promise<string | null>;
  /** Commit a branch is at; null when there is no such branch. */
  tip(branch: string): Promise<string | null>;
  /** The last commit that two branches have in common; null where there is none. */
  forkPoint(one: string, other: string): Promise<string | null>;
  /** Creates the branch at the commit and goes to it, carrying uncommitted work along. */
  startBranch(branch: string, commit: string): Promise<void>;
  /** Goes back to a branch begun before, wherever it is now beyond the commit; refuses one that has lost it. */
  returnToBranch(branch: string, commit: string): Promise<void>;
  /** Commits just these paths; the commit that already carries the trailer when there is one; null when nothing changed. */
  commit(request: CommitRequest): Promise<string | null>;
  /**
   * Takes back what a killed merge of the two left.
   * @throws ProblemError MERGE_CONFLICT where a merge would conflict; changes nothing then.
   */
  prepareMerge(request: Omit<MergeRequest, "message">): Promise<void>;
  /** Merges with a merge commit and ends on the base branch; leaves everything as it was on conflict. */
  merge(request: MergeRequest): Promise<string>;
}
