import { ProblemError } from "../../core/problem.ts";
import type { EventRange } from "../../ports/journal.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import { corrupt, parseEvents, forged, type Source } from "./fold.ts";
import { readJournal } from "./journal-location.ts";
import { visit, type OpenRun, withRetry } from "./read-run.ts";
import { genesis, readLine } from "./record.ts";
import type { JournalStore } from "./run-file.ts";

/** Bytes per read: a long journal is never completely in memory. */
const CHUNK = 256 * 1024;
const WINDOW = 8 * 1024; // bytes; most records end within this size
const NEWLINE = 10;

/** Position between two records: offset, number of earlier records and events, and hash of the last of them. */
type Position = { readonly at: number; readonly lines: number; readonly seq: number; readonly hash: string };

type EventSearch = OpenRun & { readonly store: JournalStore; readonly run: RunId };

/** Reads all events from the start, without cached state. */
export const eventsOfRun = (store: JournalStore, run: RunId): readonly RunEvent[] =>
  looking(store, run, (look) => eventsFrom(look, startPosition(look), Number.POSITIVE_INFINITY));

/** Reads a range of events. Earlier events are not read; those in the range are still checked by hash and seal. */
export function partOfRun(store: JournalStore, run: RunId, { from, most }: EventRange): readonly RunEvent[] {
  const within = ({ seq }: RunEvent): boolean => seq >= from && seq < from + most;
  try {
    return looking(store, run, (look) => eventsFrom(look, positionBefore(look, from), from + most - 1)).filter(within);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "JOURNAL_CORRUPT") throw error;
    return eventsOfRun(store, run).filter(within); // the number of a damaged line is only known from the start
  }
}

const looking = (store: JournalStore, run: RunId, read: (look: EventSearch) => RunEvent[]): RunEvent[] =>
  withRetry(() =>
    visit(store, { run, flags: "read" }, (visited) => (visited === null ? [] : read({ ...visited, store, run }))),
  );

const startPosition = ({ run }: EventSearch): Position => ({ at: 0, lines: 0, seq: 0, hash: genesis(run) });

/** Reads the events from a position up to the record with the event `last`. */
function eventsFrom(look: EventSearch, start: Position, last: number): RunEvent[] {
  const { store, journal, now } = look;
  const source: Source = { file: journal.file, seal: store.seal, check: store.check, witnesses: [] };
  const nextLine = linesFrom(look, start.at);
  const events: RunEvent[] = [];
  let { at, lines, seq, hash } = start;
  while (at < now.cursor.size && seq < last) {
    const line = nextLine();
    const reading = line === null ? NOTHING : readLine(line, hash, store.seal);
    if (reading.is === "forged") throw forged(source, lines + 1);
    if (reading.is === "damaged") throw corrupt(source, lines + 1, reading.detail);
    const read = parseEvents(reading.body, { seq, lines }, source);
    events.push(...read);
    at += line?.length ?? 0;
    lines += 1;
    seq += read.length;
    hash = reading.hash;
  }
  if (at >= now.cursor.size && hash !== now.cursor.hash) throw forged(source, lines);
  return events;
}

const NOTHING = { is: "damaged", detail: "it ends too early" } as const;

/** Returns a function that reads the next line with its newline. It returns null at the end of the known journal. */
function linesFrom({ store, journal, now }: EventSearch, start: number): () => Buffer | null {
  let read = start;
  let rest: Buffer = Buffer.alloc(0);
  return () => {
    for (;;) {
      const end = rest.indexOf(NEWLINE) + 1;
      if (end > 0) {
        const line = rest.subarray(0, end);
        rest = rest.subarray(end);
        return line;
      }
      const to = Math.min(read + Math.max(CHUNK, rest.length), now.cursor.size);
      const bytes = readJournal(store.place.files, journal, { from: read, to });
      if (bytes.length === 0) return null;
      read += bytes.length;
      rest = Buffer.concat([rest, bytes]);
    }
  };
}

/** Finds a position shortly before the event `wanted` by binary search: event numbers only increase. */
function positionBefore(look: EventSearch, wanted: number): Position {
  let low = { at: 0, first: 1 };
  let high = look.now.cursor.size;
  while (high - low.at > CHUNK) {
    const middle = low.at + Math.floor((high - low.at) / 2);
    const found = recordAfter(look, middle, high);
    if (found === null || found.first > wanted) high = middle;
    else low = found;
  }
  if (low.at === 0) return startPosition(look);
  return { at: low.at, lines: 0, seq: low.first - 1, hash: hashBefore(look, low.at) };
}

/** Finds the first record that starts in a range, and the number of its first event. */
function recordAfter(look: EventSearch, from: number, to: number): { at: number; first: number } | null {
  for (let read = from; read < to; read += WINDOW) {
    const newline = bytesAt(look, read, WINDOW).indexOf(NEWLINE);
    if (newline === -1) continue;
    const at = read + newline + 1;
    const first = FIRST.exec(bytesAt(look, at, FIRST_BYTES).toString("latin1"))?.[1];
    return at >= to || first === undefined ? null : { at, first: Number(first) };
  }
  return null;
}

const FIRST = /^\{"seq":(\d+),/;
const FIRST_BYTES = 32;
const SEALED = /"h":"([0-9a-f]{64})","m":"[^"]*"\}\n$/;
const SEALED_BYTES = 320;

/** Reads the hash of the previous record. Without one, the following record never matches. */
function hashBefore(look: EventSearch, at: number): string {
  const from = Math.max(0, at - SEALED_BYTES);
  return SEALED.exec(bytesAt(look, from, at - from).toString("latin1"))?.[1] ?? "";
}

const bytesAt = ({ store, journal }: EventSearch, from: number, count: number): Buffer =>
  readJournal(store.place.files, journal, { from, to: from + count });
