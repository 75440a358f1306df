/**
 * ISO 8601 as written by `Date.prototype.toISOString` and by users. Other texts are rejected, although `Date.parse`
 * would guess their meaning.
 */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Returns whole minutes between two timestamps. Null if either is invalid or `to` is before `from`. */
export function minutesBetween(from: unknown, to: unknown): number | null {
  const exact = exactMinutesBetween(from, to);
  return exact === null ? null : Math.round(exact);
}

/** Returns minutes with fractions, for durations of seconds. */
export function exactMinutesBetween(from: unknown, to: unknown): number | null {
  const [start, end] = [toMilliseconds(from), toMilliseconds(to)];
  return start === null || end === null || end < start ? null : (end - start) / 60_000;
}

function toMilliseconds(timestamp: unknown): number | null {
  if (typeof timestamp !== "string" || !TIMESTAMP.test(timestamp)) return null;
  // oxlint-disable-next-line no-restricted-globals -- parsing reads its argument only, never a clock
  const milliseconds = Date.parse(timestamp);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}
