import { createContext, useContext } from "react";
import type { FindingView, GateView } from "../../../src/schema/api.ts";
import type { FailureView } from "../../../src/schema/api-checks.ts";
import type { CommentPlace, ReviewComment } from "../../../src/schema/comments.ts";
import type { Drafting } from "./drafts.ts";

export type Line = Pick<CommentPlace, "path" | "line" | "side">;
export type EarlierComment = GateView["earlier"][number]["comments"][number];

/** What is said about lines, and where something is being written now. */
export type Review = {
  readonly drafting: Drafting;
  readonly findings: readonly FindingView[];
  readonly failed: readonly FailureView[];
  readonly earlier: readonly EarlierComment[];
  readonly mayComment: boolean;
  readonly editing: Line | null;
  readonly edit: (line: Line | null) => void;
  /** Called with true once all text of a document is in its drawing. */
  readonly markShown: (path: string, isWhole: boolean) => void;
};

export const ReviewContext = createContext<Review | null>(null);

export function useReview(): Review {
  const review = useContext(ReviewContext);
  if (review === null) throw new Error("outside of a review");
  return review;
}

export const isAt = (place: Line | null, { path, line, side }: Line): boolean =>
  place !== null && place.path === path && place.line === line && place.side === side;

/** A path given short is the same file as one given long. */
export const isSameFile = (one: string, other: string): boolean =>
  one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);

export type Notes = {
  readonly drafts: readonly ReviewComment[];
  readonly findings: readonly FindingView[];
  readonly failed: readonly FailureView[];
  readonly earlier: readonly EarlierComment[];
  readonly isEditing: boolean;
};

/** Everything that belongs at one line. */
export function notesAt(review: Review, at: Line): Notes {
  return {
    drafts: review.drafting.comments.filter(({ place }) => isAt(place, at)),
    findings: at.side === "old" ? [] : review.findings.filter((one) => isFindingAt(one, at)),
    failed: at.side === "old" ? [] : review.failed.filter((one) => isFailureAt(one, at)),
    earlier: review.earlier.filter(({ comment }) => isAt(comment.place, at)),
    isEditing: isAt(review.editing, at),
  };
}

export const isFindingAt = ({ file, line, state }: FindingView, at: Line): boolean =>
  state !== "resolved" && file !== null && line === at.line && isSameFile(file, at.path);

const isFailureAt = ({ file, line }: FailureView, at: Line): boolean =>
  file !== null && line === at.line && isSameFile(file, at.path);

export const hasNotes = ({ drafts, findings, failed, earlier, isEditing }: Notes): boolean =>
  isEditing || drafts.length + findings.length + failed.length + earlier.length > 0;
