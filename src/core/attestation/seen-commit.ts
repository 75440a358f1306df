/** A commit as the repository shows it to a verifier. */
export type SeenCommit = {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  readonly author: string;
  readonly committer: string;
  readonly subject: string;
  /** Lines such as `Co-authored-by: …`. */
  readonly trailers: readonly string[];
  /** Attempts of runs that the message names; anybody can write that. */
  readonly attempts: readonly string[];
};
