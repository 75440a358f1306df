const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?Z$/;

/**
 * Returns the milliseconds since 1970 for a time in a statement. Any other text gives infinity, which is later than
 * every time.
 */
export function parseInstant(text: string): number {
  const [, fraction = ""] = /\.(\d{1,3})Z$/.exec(text) ?? [];
  const parts = TIME.exec(text)?.slice(1, 7).map(Number);
  if (parts === undefined) return Number.POSITIVE_INFINITY;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const total = ((daysTo(year, month, day) * 24 + hours) * 60 + minutes) * 60 + seconds;
  return total * 1000 + Number(fraction.padEnd(3, "0"));
}

/** Returns the days since 1970-01-01 in the Gregorian calendar. */
function daysTo(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1; // years that start in March end with the leap day
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}
