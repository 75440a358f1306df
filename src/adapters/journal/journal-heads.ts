import type { Head, Seal } from "../../ports/journal.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import { advance, emptyCursor, toHead } from "./fold.ts";
import { type JournalLocation, journalSize, openJournal, readJournal } from "./journal-location.ts";
import { readBody, readLine } from "./record.ts";
import { checkBySchema } from "./schema-check.ts";

/** Returns a run's journal as stored. Null if it is missing. */
export function journalBytes(place: JournalLocation, run: RunId): Buffer | null {
  const journal = openJournal(place, run, "read");
  if (journal === null) return null;
  try {
    return readJournal(place.files, journal, { from: 0, to: journalSize(place.files, journal) });
  } finally {
    place.files.closeSync(journal.fd);
  }
}

export type JournalReading = {
  readonly events: readonly RunEvent[];
  /** All heads of the journal, oldest first. */
  readonly heads: readonly Head[];
};

/** Reads a journal up to its first incomplete record or invalid seal. */
export function readJournalBytes(bytes: Buffer, { run, seal }: { run: RunId; seal: Seal }): JournalReading {
  const heads: Head[] = [];
  const events: RunEvent[] = [];
  for (let cursor = emptyCursor(run); ;) {
    const end = bytes.indexOf("\n", cursor.size) + 1;
    const line = bytes.subarray(cursor.size, end);
    const reading = end === 0 ? null : readLine(line, cursor.hash, seal);
    const body = reading?.is === "record" ? readBody(reading.body, cursor.seq + 1, checkBySchema) : null;
    if (reading?.is !== "record" || body?.is !== "events") return { events, heads };
    cursor = advance(cursor, body.events, { bytes: line, hash: reading.hash });
    events.push(...body.events);
    heads.push(toHead(cursor));
  }
}
