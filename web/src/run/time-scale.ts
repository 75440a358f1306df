import type { TimelineSpan } from "../../../src/schema/api.ts";
import { formatDuration } from "../words.ts";

export type TimeScale = {
  /** Returns the position of a time, from 0 to 1. */
  readonly at: (time: number) => number;
  /** Labels with their positions. Empty if waits are hidden, because equal lengths are then not equal times. */
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
  readonly from: number;
  readonly to: number;
};

type Range = { readonly from: number; readonly to: number };

/** Width of each hidden wait, as a fraction of the working time. */
const LEFT_OF_A_WAIT = 0.02;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [1, 2, 5, 10, 30]
  .flatMap((count) => [count * SECOND, count * MINUTE])
  .concat([HOUR, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR, 168 * HOUR])
  .toSorted((one, other) => one - other);
const MAX_TICKS = 8;

/** Never before the start: the clock may have been set back, or this machine's clock may be slow. */
export const spanEnd = ({ from, to }: TimelineSpan, now: number): number =>
  Math.max(Date.parse(from), to === null ? now : Date.parse(to));

/** Creates one time scale for all phases of a run. */
export function timeScale(spans: readonly TimelineSpan[], now: number, isWorkOnly: boolean): TimeScale {
  const from = Math.min(...spans.map((span) => Date.parse(span.from)));
  const to = Math.max(...spans.map((span) => spanEnd(span, now)));
  if (isWorkOnly) return { at: withoutWaits(spans, { from, to }, now), ticks: [], from, to };
  const whole = Math.max(1, to - from);
  return { at: (time) => (time - from) / whole, ticks: timeTicks(whole), from, to };
}

function timeTicks(whole: number): TimeScale["ticks"] {
  const step = STEPS.find((one) => whole / one <= MAX_TICKS) ?? whole;
  return Array.from({ length: Math.floor(whole / step) + 1 }, (_, index) => ({
    at: (index * step) / whole,
    text: index === 0 ? "0" : formatDuration(index * step),
  }));
}

/** Shortens waits. A run has one wait at a time: waits never overlap. */
function withoutWaits(spans: readonly TimelineSpan[], { from, to }: Range, now: number): TimeScale["at"] {
  const waits = spans
    .filter(({ kind }) => kind === "wait")
    .map((span) => ({ from: Date.parse(span.from), to: spanEnd(span, now) }));
  const waited = waits.reduce((sum, wait) => sum + wait.to - wait.from, 0);
  const left = Math.max(1, (to - from - waited) * LEFT_OF_A_WAIT);
  const place = (time: number): number =>
    waits.reduce((sum, wait) => {
      const gone = Math.max(0, Math.min(time, wait.to) - wait.from);
      return sum - gone + Math.min(1, gone / Math.max(1, wait.to - wait.from)) * left;
    }, time - from);
  const whole = Math.max(1, place(to));
  return (time) => place(time) / whole;
}
