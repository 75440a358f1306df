import type { CommitId, TreeId } from "../../schema/ids.ts";

/** A question about file contents. The caller answers it, which keeps the verification pure. */
export type Question =
  /** Git's merge of two commits. */
  | {
      readonly is: "merge";
      readonly first: CommitId;
      readonly second: CommitId;
      /** Tree to accept if only BACKLOG.md conflicts and this tree resolves the conflict. */
      readonly expected: TreeId | null;
    }
  /** True if two trees differ only in files that isdlc writes about an item. */
  | { readonly is: "record-only"; readonly from: TreeId; readonly to: TreeId; readonly item: string };

export type MergeAnswer =
  | { readonly is: "tree"; readonly tree: TreeId }
  | { readonly is: "conflict" }
  /** An object is missing. */
  | { readonly is: "unknown" };

export type Answer = MergeAnswer | { readonly is: "record-only"; readonly holds: boolean };

/** A calculation that yields questions. */
export type QuestionSequence<T> = Generator<Question, T, Answer>;

export function* askMerge(
  first: CommitId,
  second: CommitId,
  expected: TreeId | null = null,
): QuestionSequence<MergeAnswer> {
  const answer = yield { is: "merge", first, second, expected };
  return answer.is === "record-only" ? { is: "unknown" } : answer;
}

/** Asks if two trees differ only in record files of an item. Null if unknown. */
export function* askRecordOnly(from: TreeId, to: TreeId, item: string): QuestionSequence<boolean | null> {
  if (from === to) return true;
  const answer = yield { is: "record-only", from, to, item };
  return answer.is === "record-only" ? answer.holds : null;
}
