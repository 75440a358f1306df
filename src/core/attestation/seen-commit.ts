import type { CommitId, TreeId } from "../../schema/ids.ts";

/** A commit as a verifier finds it in the repository. */
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
  /** Attempts named in the message. Not trusted: anyone can write them. */
  readonly attempts: readonly string[];
};
