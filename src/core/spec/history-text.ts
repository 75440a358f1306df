const BEFORE_ENTRY = /^(?=## Phase: )/m;
const HEADING_LINES = 3;

/**
 * A review history with an entry at its end, or in place of the one with the same heading: an entry that is told twice
 * is there once, and one that has become more complete replaces what was known before.
 */
export function withHistoryEntry(history: string, entry: string): string {
  const parts = history.split(BEFORE_ENTRY);
  const place = parts.findIndex((part) => readHeading(part) === readHeading(entry));
  const kept = place === -1 ? [...parts, entry] : parts.with(place, entry);
  return `${kept
    .map((part) => part.trimEnd())
    .filter((part) => part !== "")
    .join("\n\n")}\n`;
}

/** Phase, iteration and time: the first three lines. */
const readHeading = (entry: string): string => entry.split(/\r?\n/, HEADING_LINES).join("\n");
