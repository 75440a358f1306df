import { createContext, useContext } from "react";
import type { FindingView, GateView } from "../../../src/schema/api.ts";
import type { FailureView } from "../../../src/schema/api-checks.ts";
import type { CommentPlace } from "../../../src/schema/comments.ts";
import { findAnchor, type TextLine } from "./anchor.ts";
import type { DraftComment } from "./draft-store.ts";
import type { DraftActions } from "./drafts.ts";

export type CommentLine = Pick<CommentPlace, "path" | "line" | "side">;
export type EarlierComment = GateView["earlier"][number]["comments"][number] & {
  /** Current place of the commented text, if it was found. */
  readonly at?: CommentLine;
  /** True if the text changed and only the lines around it are the same. */
  readonly isChanged?: boolean;
};

/** Notes on lines, with the drafts of the user. */
export type Review = {
  readonly drafting: DraftActions;
  readonly findings: readonly FindingView[];
  readonly failed: readonly FailureView[];
  readonly earlier: readonly EarlierComment[];
  readonly isResolved: (id: string) => boolean;
  readonly setResolved: (id: string, isResolved: boolean) => void;
  readonly mayComment: boolean;
  /** Opens an editor at a line. With `isRange`, the open editor above it extends to this line. */
  readonly comment: (line: CommentLine, quote: string, isRange?: boolean) => void;
  /** Changes the last line of a comment. */
  readonly extend: (draft: DraftComment, to: number) => void;
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

export const isAt = (place: CommentLine | null, { path, line, side }: CommentLine): boolean =>
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

export type EarlierAt = (at: CommentLine) => readonly EarlierComment[];

type AnchorRequest = Pick<Review, "earlier" | "isResolved"> & { readonly path: string };

/**
 * Places earlier comments in the current file, by their text and the lines around it. Comments without a place are
 * shown in the overview only.
 */
export function anchored({ earlier, isResolved, path }: AnchorRequest, lines: () => readonly TextLine[]): EarlierAt {
  const here = earlier.filter(({ comment }) => comment.place?.path === path && !isResolved(comment.id));
  if (here.length === 0) return () => [];
  const all = lines();
  const placed = here.flatMap((one): Required<EarlierComment>[] => {
    const { place } = one.comment;
    const found = place === null ? null : findAnchor(all, place);
    if (found === null) return [];
    return [{ ...one, at: { path, line: found.line, side: "new" }, isChanged: found.isChanged }];
  });
  return (at) => (at.side === "old" ? [] : placed.filter(({ at: { line } }) => line === at.line));
}

/** Notes that can be at a line of a file. */
export type NoteSources = Pick<Notes, "drafts" | "findings" | "failed">;

export const noteSources = ({ drafting, findings, failed }: Review): NoteSources => ({
  drafts: drafting.drafts,
  findings,
  failed,
});

/** Collects all notes of one line. */
export function notesAt({ drafts, findings, failed }: NoteSources, at: CommentLine, earlierAt: EarlierAt): Notes {
  return {
    drafts: drafts.filter(({ place }) => isAt(place, at)),
    findings: at.side === "old" ? [] : findings.filter((one) => isFindingAt(one, at)),
    failed: at.side === "old" ? [] : failed.filter((one) => isFailureAt(one, at)),
    earlier: earlierAt(at),
  };
}

export const isFindingAt = ({ file, line, state }: FindingView, at: CommentLine): boolean =>
  state !== "resolved" && file !== null && line === at.line && isSameFile(file, at.path);

const isFailureAt = ({ file, line }: FailureView, at: CommentLine): boolean =>
  file !== null && line === at.line && isSameFile(file, at.path);

export const hasNotes = ({ drafts, findings, failed, earlier }: Notes): boolean =>
  drafts.length + findings.length + failed.length + earlier.length > 0;
