/** ISO 8601 as `Date.prototype.toISOString` and people write it; other texts that `Date.parse` would guess at are no time. */
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Whole minutes from one timestamp to another; null when either is no timestamp or they are the wrong way round. */
export function minutesBetween(from: unknown, to: unknown): number | null {
  const exact = exactMinutesBetween(from, to);
  return exact === null ? null : Math.round(exact);
}

/** The same with what is left of a minute, for what may take seconds. */
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
