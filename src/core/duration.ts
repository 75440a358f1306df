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

/** Formats `1 file`, `2 files`. */
export const formatCount = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`;

const CENT = 0.01;

/** Formats dollars: `$1,234.50`. Less than a cent gets as many digits as needed. */
export function money(usd: number): string {
  if (usd > 0 && usd < CENT) return `$${Number(usd.toPrecision(2)).toFixed(4).replace(/0+$/, "")}`;
  const [whole = "0", cents = "00"] = usd.toFixed(2).split(".");
  return `$${whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, ",")}.${cents}`;
}
