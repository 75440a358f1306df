/** Exact, or not to be found out. */
export type CommitCount = number | "unknown";

export type Distance = {
  /** Commits of HEAD that the older commit does not have, of every kind. */
  readonly commits: CommitCount;
  /** Files that differ between the two trees, outside the excepted folders; "unknown" when git cannot compare them. */
  readonly changed: readonly string[] | "unknown";
};

/** How far the code has moved. Never throws, and runs nothing the repository configures. */
export interface CodeHistory {
  /** Full id of HEAD; null when there is none to compare with. Asked once. */
  head(): Promise<string | null>;
  /** How far HEAD is from a commit, full or abbreviated. Commits that touch only excepted paths leave `changed` empty. */
  since(hash: string, except?: readonly string[]): Promise<Distance>;
  /** The changes of these files from a commit to HEAD as a patch; null if git cannot compare them. */
  patch(hash: string, paths: readonly string[]): Promise<string | null>;
}
