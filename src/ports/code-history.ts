/** Exact number, or unknown. */
export type CommitCount = number | "unknown";

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
