import type { FileChange } from "../../schema/facts.ts";
import { isBookkeeping } from "../items/item-meta.ts";

/** Output to read at a gate: changed lines since the user's last review, else since the phase started. */
export type ToRead = {
  readonly lines: number;
  /** Null without git. */
  readonly changed: readonly FileChange[] | null;
  readonly changedSinceSeen: readonly FileChange[] | null;
};

/** Reading effort at a gate. Null if the lines could not be counted, which does not mean zero. */
export type Attention = {
  readonly lines: number | null;
  /** Whole minutes, rounded up: the estimate is never shorter than the calculated time. */
  readonly minutes: number | null;
};

/** Lines of code per hour. Studies of code review find that defects are still noticed at a pace between 300 and 500. */
const CODE_PER_HOUR = 400;
/**
 * Lines of prose per hour: about twelve words per line at 180 words per minute, slightly slower than reading for
 * pleasure.
 */
const PROSE_PER_HOUR = 900;

const PROSE = /\.(?:md|markdown|txt|rst|adoc)$/i;

/** Estimates the reading time at a phase's gate. Mixed changes are read at the pace of code. */
export function attentionFor(made: ToRead | null): Attention {
  if (made === null || made.changed === null) return { lines: null, minutes: null };
  const { lines } = made;
  if (!Number.isFinite(lines) || lines < 0) return { lines: null, minutes: null };
  const files = (made.changedSinceSeen ?? made.changed).filter(({ path }) => !isBookkeeping(path));
  const pace = files.every(({ path }) => PROSE.test(path)) ? PROSE_PER_HOUR : CODE_PER_HOUR;
  return { lines, minutes: Math.ceil((lines * 60) / pace) };
}

/** Formats the effort: `120 lines, about 8 min`. */
export function attentionText({ lines, minutes }: Attention): string {
  if (lines === null || minutes === null) return "unknown without git";
  if (lines === 0) return "nothing new";
  const time = minutes <= 1 ? "under a minute" : `about ${minutes} min`;
  return `${lines} ${lines === 1 ? "line" : "lines"}, ${time}`;
}
