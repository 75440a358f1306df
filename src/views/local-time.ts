/* oxlint-disable no-restricted-globals -- no clock is read: a recorded time is converted to the local zone */
/** Formats a timestamp in local time: `2026-02-14 11:00 +01:00`. Returns other text unchanged. */
export function localTime(at: string, precision: "minutes" | "seconds" = "minutes"): string {
  const moment = new Date(at);
  if (!TIMESTAMP.test(at) || Number.isNaN(moment.getTime())) return at;
  const east = -moment.getTimezoneOffset();
  const shifted = new Date(moment.getTime() + east * 60_000).toISOString();
  return `${shifted.slice(0, precision === "minutes" ? 16 : 19).replace("T", " ")} ${zoneText(east)}`;
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Formats a time zone. `east`: offset in minutes east of Greenwich. */
function zoneText(east: number): string {
  if (east === 0) return "UTC";
  const two = (count: number): string => String(count).padStart(2, "0");
  const size = Math.abs(east);
  return `${east < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
