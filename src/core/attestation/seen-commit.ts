import type { CommitId, TreeId } from "../../schema/ids.ts";

/** A commit as the repository shows it to a verifier. */
export type SeenCommit = {
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly parents: readonly CommitId[];
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  readonly author: string;
  readonly committer: string;
  readonly subject: string;
  /** Lines such as `Co-authored-by: …`, anywhere in the message. */
  readonly trailers: readonly string[];
  readonly message: string;
  /** Attempts of runs that the message names; anybody can write that. */
  readonly attempts: readonly string[];
};
