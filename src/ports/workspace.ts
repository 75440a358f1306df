import type { FileChange } from "../schema/facts.ts";
import type { TreeId } from "../schema/ids.ts";

/** A copy of a snapshot to read in; changes made there go nowhere. */
export type ThrowAwayCopy = { readonly dir: string; dispose(): Promise<void> };

/** A copy to work in, of which one folder counts. */
export type ScratchCopy = ThrowAwayCopy & {
  /** Brings what was written in that folder into the working tree; tells what else was written, and stays behind. */
  copyBack(): Promise<readonly string[]>;
};

/** Another repository inside the tree, of which only the commit belongs to it. */
export type Submodule = {
  readonly path: string;
  /** Milliseconds since the epoch at which a file in it last changed; 0 for an empty one. */
  readonly changedAt: number;
};

/** The working tree as something that can be remembered, compared and brought back. */
export interface Workspace {
  /**
   * Remembers the tree as it is, new files included, under a name that keeps it from being collected.
   * Ignored files are left out (but for `include`), submodules count by their commit. Null without git.
   */
  snapshot(name: string, include: readonly string[]): Promise<TreeId | null>;
  /** The same, to compare with at once; not to be found again. */
  now(include: readonly string[]): Promise<TreeId | null>;
  /** The submodules of a snapshot. */
  submodules(snapshot: TreeId): Promise<readonly Submodule[]>;
  /** What keeps git from looking since the run began, in words; nothing of it is in a snapshot. */
  hidden(): Promise<readonly string[]>;
  /** A snapshot taken earlier under that name; null when there is none. */
  kept(name: string): Promise<TreeId | null>;
  /** Changed files between two snapshots; null where either is unknown. */
  diff(from: TreeId | null, to: TreeId | null): Promise<readonly FileChange[] | null>;
  /** Lines added and removed in the given files between two snapshots. */
  lines(from: TreeId | null, to: TreeId | null, paths: readonly string[]): Promise<number>;
  /** The patch between two snapshots, for people to read; of the given files alone where some are given. */
  patch(from: TreeId | null, to: TreeId | null, paths?: readonly string[]): Promise<string>;
  /**
   * Remembers a tree without the changes between two snapshots. A file whose changes cannot be separated from others is
   * in it as in `from`.
   */
  without(name: string, tree: TreeId, change: { readonly from: TreeId; readonly to: TreeId }): Promise<TreeId>;
  /** Puts the given paths back as they were in a snapshot; paths it lacks are removed. */
  restore(from: TreeId, paths: readonly string[]): Promise<void>;
  copy(snapshot: TreeId | null): Promise<ThrowAwayCopy>;
  /** Writes files of a snapshot into a folder outside of the tree. */
  writeInto(folder: string, snapshot: TreeId, paths: readonly string[]): Promise<void>;
  /** What is there and no snapshot holds, because git ignores it; folders end with a slash. */
  ignored(): Promise<readonly string[]>;
  /** A copy whose `folder` alone finds its way back. */
  scratchCopy(snapshot: TreeId | null, folder: string): Promise<ScratchCopy>;
}
