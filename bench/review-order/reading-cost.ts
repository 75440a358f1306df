import { isSource } from "../../src/core/review-order/file-kind.ts";
import { type PlacedFile, REVIEW_GROUPS, reviewOrder } from "../../src/core/review-order/review-order.ts";
import type { CaseFile, ReviewCase } from "./read-cases.ts";

/** What a reader spends until the first defective line. */
export type ReadingCost = {
  /** Share of all changed lines above it. */
  readonly lines: number;
  /** Position of its file, from 0 (first) to 1 (last). */
  readonly position: number;
  /** Number of files before it. */
  readonly filesBefore: number;
};

type Sorter = (files: readonly CaseFile[]) => readonly CaseFile[];

const toFiles = (placed: readonly PlacedFile<CaseFile>[]): CaseFile[] => placed.map(({ file }) => file);

export const alphabetical: Sorter = (files) => toFiles(reviewOrder(files, "name"));
export const measured: Sorter = (files) => toFiles(reviewOrder(files));

/** The simplest order with most of the gain: code by path, then the other groups by path. */
export const codeFirst: Sorter = (files) => {
  const rank = ({ file, group }: PlacedFile<CaseFile>): number =>
    REVIEW_GROUPS.indexOf(group === "contracts" ? (isSource(file.path) ? "code" : "settings") : group);
  return toFiles(reviewOrder(files, "name").toSorted((a, b) => rank(a) - rank(b)));
};

/** Returns the cost of finding the first defect with this order. */
export function readingCost({ files, firstDefects }: ReviewCase, sort: Sorter): ReadingCost {
  const total = files.reduce((sum, { added, removed }) => sum + added + removed, 0);
  let read = 0;
  for (const [at, { index, added, removed }] of sort(files).entries()) {
    const before = firstDefects.get(index);
    if (before !== undefined)
      return { lines: (read + before) / total, position: at / Math.max(1, files.length - 1), filesBefore: at };
    read += added + removed;
  }
  throw new Error("the order left out a file with a defect");
}

/** Reasons for which all files with defects of a case are folded; empty if a reader meets one of them unfolded. */
export function hidingReasons({ files, firstDefects }: ReviewCase): string[] {
  const defective = reviewOrder(files).filter(({ file }) => firstDefects.has(file.index));
  return defective.every(({ group }) => group === "folded") ? defective.map(({ reason }) => reason) : [];
}
