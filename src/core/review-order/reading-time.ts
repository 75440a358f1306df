import { fileKind } from "./file-kind.ts";
import type { PlacedFile, ReviewFile } from "./review-order.ts";

/** Lines of code per hour. Studies of code review find that defects are still noticed at a pace between 300 and 500. */
const CODE_PER_HOUR = 400;
/**
 * Lines of prose per hour: about twelve words per line at 180 words per minute, slightly slower than reading for
 * pleasure.
 */
const PROSE_PER_HOUR = 900;
const MINUTES_PER_HOUR = 60;

/** Lines to read in one file: none in a folded one, and moved lines are not read again. */
export const linesToRead = ({ file, group }: PlacedFile<ReviewFile & { readonly moved?: number }>): number =>
  group === "folded" ? 0 : Math.max(0, file.added + file.removed - (file.moved ?? 0));

/** Returns the minutes to read lines of a file, not rounded. */
export const readingMinutes = (path: string, lines: number): number =>
  (lines * MINUTES_PER_HOUR) / (fileKind(path) === "document" ? PROSE_PER_HOUR : CODE_PER_HOUR);
