import { changedRows } from "../core/review-order/changed-rows.ts";
import { fileMarks, type MarkFacts, moveMarks } from "../core/review-order/file-marks.ts";
import { findMoves, type Move } from "../core/review-order/moved-lines.ts";
import { measurePatch } from "../core/review-order/measure-patch.ts";
import { linesToRead, readingMinutes } from "../core/review-order/reading-time.ts";
import {
  GROUP_TEXTS,
  REVIEW_GROUPS,
  type PlacedFile,
  type ReviewFile,
  type ReviewGroup,
  type ReviewOrder,
  reviewOrder,
} from "../core/review-order/review-order.ts";
import { type PatchFile, patchFiles } from "./patch-files.ts";

/** A file of a patch with its place in the review. */
export type ReviewedFile = PlacedFile<MeasuredFile> & {
  /** Lines to read: none in a folded file. */
  readonly toRead: number;
};

type MeasuredFile = PatchFile &
  ReviewFile & {
    /** Facts to know while reading it, one sentence each. */
    readonly marks: readonly string[];
    /** Lines that only moved. */
    readonly moved: number;
  };

/** Facts from outside of the patch. */
export type PatchFacts = {
  /** Files that an attribute of the base declares as generated or vendored, with the reason. */
  readonly declared: ReadonlyMap<string, string>;
  /** Changed dependencies of each lock file. Null if its format is unknown. */
  readonly dependencies: ReadonlyMap<string, readonly string[] | null>;
  /** Facts for marks. Missing: only marks from the patch itself. */
  readonly background?: MarkFacts;
};

const NO_FACTS: PatchFacts = { declared: new Map(), dependencies: new Map() };

/** Splits a patch into its files, in review order. Files written by isdlc come last. */
export function reviewPatch(patch: string, facts: PatchFacts = NO_FACTS): ReviewedFile[] {
  const files = patchFiles(patch);
  const moves = findMoves(files.filter(({ isBinary }) => !isBinary).map(({ path, text }) => changedRows(path, text)));
  const paths = files.map(({ path }) => path);
  const measured = files.map((file) => {
    const known = facts.background === undefined ? [] : fileMarks(file.path, paths, facts.background);
    const { marks, ...measures } = measure(file, facts);
    return {
      ...file,
      ...measures,
      moved: movedLines(file.path, moves),
      marks: [...marks, ...known, ...moveMarks(file.path, moves)],
    };
  });
  return sortReview(measured, "review");
}

/** Counts lines of a file's patch that only moved. */
const movedLines = (path: string, moves: readonly Move[]): number =>
  moves.reduce((sum, { from, to, same }) => sum + (from.path === path ? same : 0) + (to.path === path ? same : 0), 0);

/** Sorts files of a patch. Files written by isdlc come last in every order. */
export function sortReview(files: readonly MeasuredFile[], order: ReviewOrder): ReviewedFile[] {
  const placed = reviewOrder(files, order).map((one) => ({ ...one, toRead: linesToRead(one) }));
  const isOwn = ({ file }: ReviewedFile): boolean => file.kind === "bookkeeping";
  return [...placed.filter((one) => !isOwn(one)), ...placed.filter(isOwn)];
}

type Measures = Pick<MeasuredFile, "deciding" | "generated" | "marks">;

function measure(file: PatchFile, { declared, dependencies }: PatchFacts): Measures {
  const { path, was, change, text, kind } = file;
  const { deciding, isMarkedGenerated } = measurePatch(text, { path, isNew: change === "added" });
  const byAttribute = declared.get(path) ?? (was === null ? undefined : declared.get(was));
  const generated = byAttribute ?? (isMarkedGenerated ? "generated, as its first lines say" : null);
  const marks = dependencyMarks(dependencies.get(path));
  return { deciding, generated: kind === "bookkeeping" ? "written by isdlc" : generated, marks };
}

const MAX_DEPENDENCIES = 200;

function dependencyMarks(changed: readonly string[] | null | undefined): string[] {
  if (changed === undefined) return [];
  if (changed === null) return ["its dependencies could not be read: open the file"];
  if (changed.length === 0) return ["no version of a dependency changed"];
  const left = changed.length - MAX_DEPENDENCIES;
  return [...changed.slice(0, MAX_DEPENDENCIES), ...(left > 0 ? [`and ${left} more dependencies: open the file`] : [])];
}

/** A group of files with its heading. Groups without files are left out. */
type GroupHeading = {
  readonly group: ReviewGroup;
  readonly title: string;
  readonly why: string;
  readonly files: number;
  readonly lines: number;
  /** Minutes to read the group, rounded up. */
  readonly minutes: number;
};

/** Lists the groups of a change with the lines to read in them. Files written by isdlc are not counted. */
export function groupHeadings(files: readonly ReviewedFile[]): GroupHeading[] {
  const counted = files.filter(({ file }) => file.kind !== "bookkeeping");
  return REVIEW_GROUPS.flatMap((group) => {
    const own = counted.filter((one) => one.group === group);
    if (own.length === 0) return [];
    const minutes = own.reduce((sum, { file, toRead }) => sum + readingMinutes(file.path, toRead), 0);
    const lines = own.reduce((sum, { toRead }) => sum + toRead, 0);
    return [{ group, ...GROUP_TEXTS[group], files: own.length, lines, minutes: Math.ceil(minutes) }];
  });
}

const ID_CHARS = 7;
/** Shortens the ids in the header, which are whole only to notice every change of content. */
export const withShortIds = (text: string): string =>
  text.replaceAll(
    /(?<![^\n])index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})(?=[ \n]|$)/g,
    (_, before: string, after: string) => `index ${before.slice(0, ID_CHARS)}..${after.slice(0, ID_CHARS)}`,
  );
