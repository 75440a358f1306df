import type { FileChange } from "../schema/facts.ts";
import { isBookkeeping } from "./items/bookkeeping.ts";

/** What a phase left to read: lines of the files that changed since a person last looked, else since it began. */
export type ToRead = {
  readonly lines: number;
  /** Null when there is no git to ask. */
  readonly changed: readonly FileChange[] | null;
  readonly changedSinceSeen: readonly FileChange[] | null;
};

/** What a gate asks of a person. Null where nobody could count: that is not nothing. */
export type Attention = {
  readonly lines: number | null;
  /** Whole minutes, rounded up, so that nobody is promised less than it takes. */
  readonly minutes: number | null;
};

/**
 * Lines of code an hour. Studies of code review put the pace at which defects are still found between 300 and 500.
 */
const CODE_PER_HOUR = 400;
/**
 * Lines of prose an hour: about twelve words a line at 180 words a minute, a little slower than reading for pleasure.
 */
const PROSE_PER_HOUR = 900;

const PROSE = /\.(?:md|markdown|txt|rst|adoc)$/i;

/** What there is to read at the gate of a phase. Prose only where all of it is: a mixture is read at the pace of code. */
export function attentionFor(made: ToRead | null): Attention {
  if (made === null || made.changed === null) return { lines: null, minutes: null };
  const { lines } = made;
  if (!Number.isFinite(lines) || lines < 0) return { lines: null, minutes: null };
  const files = (made.changedSinceSeen ?? made.changed).filter(({ path }) => !isBookkeeping(path));
  const pace = files.every(({ path }) => PROSE.test(path)) ? PROSE_PER_HOUR : CODE_PER_HOUR;
  return { lines, minutes: Math.ceil((lines * 60) / pace) };
}

/** `120 lines, about 8 min`. */
export function attentionText({ lines, minutes }: Attention): string {
  if (lines === null || minutes === null) return "unknown without git";
  if (lines === 0) return "nothing new";
  const time = minutes <= 1 ? "under a minute" : `about ${minutes} min`;
  return `${lines} ${lines === 1 ? "line" : "lines"}, ${time}`;
}
