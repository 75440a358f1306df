import type { FileChange } from "../schema/facts.ts";
import type { CommitId, TreeId } from "../schema/ids.ts";

/** Copy of a snapshot for reading. Changes in it are discarded. */
export type ThrowAwayCopy = { readonly dir: string; dispose(): Promise<void> };

/** Copy to work in. Only one folder is copied back. */
export type ScratchCopy = ThrowAwayCopy & {
  /** Copies this folder to the working tree. Returns other written files, which are not copied. */
  copyBack(): Promise<readonly string[]>;
};

/** A repository inside the tree. Only its commit id belongs to the tree. */
export type Submodule = {
  readonly path: string;
  /** Time of the last file change in it, in milliseconds since the epoch. 0 if it is empty. */
  readonly changedAt: number;
};

/** A commit before a change, with its title and files. */
export type PastCommit = { readonly title: string; readonly paths: readonly string[] };

/** Facts about files before a change. `tests`: test files that contain each of the given words. */
export type ChangeBackground = {
  readonly commits: readonly PastCommit[];
  readonly tests: ReadonlyMap<string, readonly string[]>;
};

/** Snapshots of the working tree, to compare and restore it. */
export interface Workspace {
  /**
   * Saves the current tree, including new files, under a ref that prevents garbage collection. Ignored files are
   * omitted, except under `include`. Submodules are saved by commit. Returns null without git.
   */
  snapshot(name: string, include: readonly string[]): Promise<TreeId | null>;
  /** Takes a snapshot without a ref, for an immediate comparison. */
  now(include: readonly string[]): Promise<TreeId | null>;
  /** The submodules of a snapshot. */
  submodules(snapshot: TreeId): Promise<readonly Submodule[]>;
  /**
   * Returns sentences about settings made since the run started that hide files from git. Hidden changes are in no
   * snapshot.
   */
  hidden(): Promise<readonly string[]>;
  /**
   * Compares the content of each object that is new since `from` with its id. Git itself trusts the file name of an
   * object: someone else may have stored other content under it.
   * @throws ProblemError GIT_FAILED if an object of the snapshot is damaged
   */
  verify(from: TreeId | null, snapshot: TreeId): Promise<void>;
  /** Returns the snapshot saved under this name, if any. */
  kept(name: string): Promise<TreeId | null>;
  /** Returns the changed files between two snapshots. Null if one of them is unknown. */
  diff(from: TreeId | null, to: TreeId | null): Promise<readonly FileChange[] | null>;
  /** Returns the number of added and removed lines in the given files between two snapshots. */
  lines(from: TreeId | null, to: TreeId | null, paths: readonly string[]): Promise<number>;
  /** Returns the patch between two snapshots, for display. If `paths` is given, only of these files. */
  patch(from: TreeId | null, to: TreeId | null, paths?: readonly string[]): Promise<string>;
  /** Returns the texts of files in a snapshot. Missing files, large ones and those that are no text are omitted. */
  texts(tree: TreeId | null, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Returns what the repository knows about files before a change. Empty without git, or if git takes too long. */
  background(commit: CommitId, words: readonly string[]): Promise<ChangeBackground>;
  /**
   * Saves a tree without the changes between two snapshots. If a file's changes cannot be separated from others, it
   * has the version of `from`.
   */
  without(name: string, tree: TreeId, change: { readonly from: TreeId; readonly to: TreeId }): Promise<TreeId>;
  /** Restores the given paths from a snapshot. Paths missing in it are deleted. */
  restore(from: TreeId, paths: readonly string[]): Promise<void>;
  copy(snapshot: TreeId | null): Promise<ThrowAwayCopy>;
  /** Writes files of a snapshot to a folder outside of the tree. */
  writeInto(folder: string, snapshot: TreeId, paths: readonly string[]): Promise<void>;
  /** Returns existing files that no snapshot contains, because git ignores them. Folders end with a slash. */
  ignored(): Promise<readonly string[]>;
  /** Creates a copy of which only `folder` can be copied back. */
  scratchCopy(snapshot: TreeId | null, folder: string): Promise<ScratchCopy>;
}
