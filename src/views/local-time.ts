/* oxlint-disable no-restricted-globals -- no clock is read: a recorded time is told in the zone of whoever reads it */
/** `2026-02-14 11:00 +01:00`: a moment as the clock on the reader's wall has it; what is no timestamp stays as it is. */
export function localTime(at: string, precision: "minutes" | "seconds" = "minutes"): string {
  const moment = new Date(at);
  if (!TIMESTAMP.test(at) || Number.isNaN(moment.getTime())) return at;
  const east = -moment.getTimezoneOffset();
  const shifted = new Date(moment.getTime() + east * 60_000).toISOString();
  return `${shifted.slice(0, precision === "minutes" ? 16 : 19).replace("T", " ")} ${zoneText(east)}`;
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Minutes east of Greenwich. */
function zoneText(east: number): string {
  if (east === 0) return "UTC";
  const two = (count: number): string => String(count).padStart(2, "0");
  const size = Math.abs(east);
  return `${east < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
