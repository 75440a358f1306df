import type { Head } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import { advance, type Cursor, emptyCursor, headOf } from "./fold.ts";
import { type JournalLocation, journalSize, openJournal, readJournal } from "./journal-place.ts";
import type { Seal } from "../../ports/seal.ts";
import { readBody, readLine } from "./record.ts";
import { checkBySchema } from "./schema-check.ts";

/** Every head that a journal has had, oldest first, as far as it is whole and this user's. */
export function journalHeads(place: JournalLocation & { readonly seal: Seal }, run: RunId): readonly Head[] {
  const journal = openJournal(place, run, "read");
  if (journal === null) return [];
  try {
    const bytes = readJournal(place.files, journal, { from: 0, to: journalSize(place.files, journal) });
    return headsIn(bytes, emptyCursor(run), place.seal);
  } finally {
    place.files.closeSync(journal.fd);
  }
}

function headsIn(bytes: Buffer, start: Cursor, seal: Seal): readonly Head[] {
  const heads: Head[] = [];
  for (let cursor = start; ;) {
    const end = bytes.indexOf("\n", cursor.size) + 1;
    const line = bytes.subarray(cursor.size, end);
    const reading = end === 0 ? null : readLine(line, cursor.hash, seal);
    const body = reading?.is === "record" ? readBody(reading.body, cursor.seq + 1, checkBySchema) : null;
    if (reading?.is !== "record" || body?.is !== "events") return heads;
    cursor = advance(cursor, body.events, { bytes: line, hash: reading.hash });
    heads.push(headOf(cursor));
  }
}
