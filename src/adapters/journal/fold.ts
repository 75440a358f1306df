import { evolve } from "../../core/evolve/evolve.ts";
import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import type { Head, Seal } from "../../ports/journal.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import { type EventCheck, genesis, readBody, readLine } from "./record.ts";

/** State of a journal at the end of its last complete record. */
export type Cursor = {
  readonly run: RunId;
  readonly seq: number;
  readonly hash: string;
  readonly state: RunState;
  /** Offset after the last complete record, in bytes. */
  readonly size: number;
  /** Number of records so far. */
  readonly lines: number;
  /** Last record as read, with the values to check it again. */
  readonly last: { readonly from: number; readonly previous: string; readonly bytes: Buffer } | null;
};

export type Source = {
  readonly file: string;
  readonly seal: Seal;
  readonly check: EventCheck;
  /** Acknowledged heads known from elsewhere. The journal must pass through each of them. */
  readonly witnesses: readonly Head[];
  /** Called with the events of each record, in order. */
  readonly onEvents?: (events: readonly RunEvent[]) => void;
};

export type FoldResult = {
  readonly cursor: Cursor;
  /** Bytes after the last complete record, from an interrupted write. */
  readonly torn: number;
};

export function emptyCursor(run: RunId): Cursor {
  return { run, seq: 0, hash: genesis(run), state: noRun, size: 0, lines: 0, last: null };
}

export const toHead = (cursor: Cursor): Head => ({ seq: cursor.seq, hash: cursor.hash });

/**
 * Continues from a cursor with the bytes after it.
 * @throws ProblemError for everything but an unfinished last record that was never acknowledged.
 */
export function fold(from: Cursor, bytes: Buffer, source: Source): FoldResult {
  let cursor = from;
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf(LINE_END_BYTE, at) + 1;
    if (end === 0) break;
    const line = bytes.subarray(at, end);
    const reading = readLine(line, cursor.hash, source.seal);
    if (reading.is === "forged") throw forged(source, cursor.lines + 1);
    if (reading.is === "damaged") {
      if (end === bytes.length) break;
      throw corrupt(source, cursor.lines + 1, reading.detail);
    }
    const read = parseEvents(reading.body, cursor, source);
    cursor = advance(cursor, read, { bytes: line, hash: reading.hash });
    meetWitnesses(cursor, read.length, source);
    source.onEvents?.(read);
    at = end;
  }
  const torn = bytes.length - at;
  reachWitnesses(cursor, torn, source);
  return { cursor: withOwnBytes(cursor), torn };
}

/** Returns the cursor after one more record. */
export function advance(cursor: Cursor, events: readonly RunEvent[], line: { bytes: Buffer; hash: string }): Cursor {
  return {
    run: cursor.run,
    seq: cursor.seq + events.length,
    hash: line.hash,
    state: events.reduce(evolve, cursor.state),
    size: cursor.size + line.bytes.length,
    lines: cursor.lines + 1,
    last: { from: cursor.size, previous: cursor.hash, bytes: line.bytes },
  };
}

export function parseEvents(body: string, cursor: Pick<Cursor, "seq" | "lines">, source: Source): readonly RunEvent[] {
  const reading = readBody(body, cursor.seq + 1, source.check);
  if (reading.is === "events") return reading.events;
  if (reading.is === "newer")
    throw new ProblemError({ code: "JOURNAL_NEWER", file: source.file, type: reading.type.slice(0, 100) });
  throw corrupt(source, cursor.lines + 1, reading.detail);
}

export function corrupt(source: { file: string }, line: number, detail: string): ProblemError {
  return new ProblemError({ code: "JOURNAL_CORRUPT", file: source.file, line, detail });
}

const LINE_END_BYTE = 10;

/** Copies the last record: a cursor is long-lived, and would keep the whole journal in memory. */
function withOwnBytes(cursor: Cursor): Cursor {
  return cursor.last === null ? cursor : { ...cursor, last: { ...cursor.last, bytes: Buffer.from(cursor.last.bytes) } };
}

export function forged(source: Source, line: number): ProblemError {
  return new ProblemError({ code: "JOURNAL_FORGED", file: source.file, line });
}

/** Rejects a record that passes an acknowledged head without matching it: it is not the acknowledged record. */
function meetWitnesses(cursor: Cursor, count: number, source: Source): void {
  for (const witness of source.witnesses) {
    const passes = cursor.seq >= witness.seq && cursor.seq - count < witness.seq;
    if (passes && (cursor.seq !== witness.seq || cursor.hash !== witness.hash)) throw forged(source, cursor.lines);
  }
}

function reachWitnesses(cursor: Cursor, torn: number, source: Source): void {
  for (const witness of source.witnesses) {
    if (cursor.seq === witness.seq && cursor.hash !== witness.hash) throw forged(source, cursor.lines);
    if (cursor.seq >= witness.seq) continue;
    if (torn > 0) throw corrupt(source, cursor.lines + 1, "a record that was acknowledged is damaged");
    throw new ProblemError({ code: "JOURNAL_MISSING", run: cursor.run, seq: witness.seq });
  }
}
