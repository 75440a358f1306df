const BEFORE_ENTRY = /^(?=## Phase: )/m;
const HEADING_LINES = 3;

/**
 * Adds an entry to a review history, or replaces the one with the same heading. A repeated entry appears once; a more
 * complete entry replaces the earlier one.
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

/** Returns phase, iteration and time: the first three lines. */
const readHeading = (entry: string): string => entry.split(/\r?\n/, HEADING_LINES).join("\n");
