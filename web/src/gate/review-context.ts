import { createContext, useContext } from "react";
import type { FindingView, GateView } from "../../../src/schema/api.ts";
import type { FailureView } from "../../../src/schema/api-checks.ts";
import type { CommentPlace } from "../../../src/schema/comments.ts";
import type { DraftComment } from "./draft-store.ts";
import type { DraftActions } from "./drafts.ts";

export type Line = Pick<CommentPlace, "path" | "line" | "side">;
export type EarlierComment = GateView["earlier"][number]["comments"][number];

/** What is said about lines, and where something is being written now. */
export type Review = {
  readonly drafting: DraftActions;
  readonly findings: readonly FindingView[];
  readonly failed: readonly FailureView[];
  readonly earlier: readonly EarlierComment[];
  readonly isResolved: (id: string) => boolean;
  readonly setResolved: (id: string, isResolved: boolean) => void;
  readonly mayComment: boolean;
  /** Opens an editor at a line. */
  readonly comment: (line: Line, quote: string) => void;
  /** True once for a comment whose editor was just opened. */
  readonly takeFocus: (id: string) => boolean;
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
  readonly drafts: readonly DraftComment[];
  readonly findings: readonly FindingView[];
  readonly failed: readonly FailureView[];
  readonly earlier: readonly EarlierComment[];
};

type TextLine = { readonly line: number; readonly text: string };
export type EarlierAt = (at: Line) => readonly EarlierComment[];

/**
 * Earlier comments by the lines they are about now. The file has changed since: a comment belongs to the line that reads
 * as its quote, the nearest one to where it was; if there is none, it is shown in the overview only.
 */
export function anchored({ earlier, isResolved }: Review, path: string, lines: () => readonly TextLine[]): EarlierAt {
  const here = earlier.filter(({ comment }) => comment.place?.path === path && !isResolved(comment.id));
  if (here.length === 0) return () => [];
  const all = lines();
  const placed = here.flatMap((one) => {
    const { place } = one.comment;
    const same = place === null ? [] : all.filter(({ text }) => text === place.quote);
    const nearest = same.toSorted(
      (a, b) => Math.abs(a.line - (place?.line ?? 0)) - Math.abs(b.line - (place?.line ?? 0)),
    )[0];
    return nearest === undefined ? [] : [{ line: nearest.line, one }];
  });
  return (at) => (at.side === "old" ? [] : placed.filter(({ line }) => line === at.line).map(({ one }) => one));
}

/** Everything that belongs at one line. */
export function notesAt(review: Review, at: Line, earlierAt: EarlierAt): Notes {
  return {
    drafts: review.drafting.drafts.filter(({ place }) => isAt(place, at)),
    findings: at.side === "old" ? [] : review.findings.filter((one) => isFindingAt(one, at)),
    failed: at.side === "old" ? [] : review.failed.filter((one) => isFailureAt(one, at)),
    earlier: earlierAt(at),
  };
}

export const isFindingAt = ({ file, line, state }: FindingView, at: Line): boolean =>
  state !== "resolved" && file !== null && line === at.line && isSameFile(file, at.path);

const isFailureAt = ({ file, line }: FailureView, at: Line): boolean =>
  file !== null && line === at.line && isSameFile(file, at.path);

export const hasNotes = ({ drafts, findings, failed, earlier }: Notes): boolean =>
  drafts.length + findings.length + failed.length + earlier.length > 0;
