import { createContext, useContext } from "react";
import type { FindingView, GateView } from "../../../src/schema/api.ts";
import type { FailureView } from "../../../src/schema/api-checks.ts";
import type { CommentPlace } from "../../../src/schema/comments.ts";
import type { DraftComment } from "./draft-store.ts";
import type { DraftActions } from "./drafts.ts";

export type Line = Pick<CommentPlace, "path" | "line" | "side">;
export type EarlierComment = GateView["earlier"][number]["comments"][number];

/** Notes on lines, with the drafts of the user. */
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
  /** Returns true once for a comment whose editor was just opened. */
  readonly takeFocus: (id: string) => boolean;
  /** Called with true if the rendered document has all of its text. */
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

/** Returns true if one path is equal to the end of the other: paths may be abbreviated. */
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
 * Places earlier comments in the current file: at the line equal to their quote and nearest to their old line.
 * Comments without such a line are shown in the overview only.
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

/** Collects all notes of one line. */
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
