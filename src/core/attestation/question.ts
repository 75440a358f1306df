import type { CommitId, TreeId } from "../../schema/ids.ts";

/** What the verification has to know about file contents. The caller answers, so that the verification itself is pure. */
export type Question =
  /** Git's merge of two commits. */
  | {
      readonly is: "merge";
      readonly first: CommitId;
      readonly second: CommitId;
      /** Tree that is accepted if only BACKLOG.md conflicts and it resolves that. */
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

/** A calculation that asks questions on its way. */
export type QuestionSequence<T> = Generator<Question, T, Answer>;

export function* askMerge(
  first: CommitId,
  second: CommitId,
  expected: TreeId | null = null,
): QuestionSequence<MergeAnswer> {
  const answer = yield { is: "merge", first, second, expected };
  return answer.is === "record-only" ? { is: "unknown" } : answer;
}

/** Null: unknown. */
export function* askRecordOnly(from: TreeId, to: TreeId, item: string): QuestionSequence<boolean | null> {
  if (from === to) return true;
  const answer = yield { is: "record-only", from, to, item };
  return answer.is === "record-only" ? answer.holds : null;
}
