import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Head } from "../../ports/journal.ts";
import type { Seal } from "../../ports/seal.ts";
import type { EventDraft, RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import {
  type FileSystem,
  OPEN,
  openPlain,
  readRange,
  readSmall,
  replaceFile,
  writeAll,
} from "../file-system/file-system.ts";
import { sha256 } from "../file-system/node-crypto.ts";
import type { Anchors } from "../user-files/anchors.ts";
import { advance, corrupt, type Cursor, emptyCursor, parseEvents, fold, toHead } from "./fold.ts";
import { type JournalLocation, type OpenFile, readJournal, snapshotFile, tornFile } from "./journal-location.ts";
import { encodeRecord, type EventCheck, LINE_LIMIT, readLine } from "./record.ts";

/** What the functions below need, and what they remember between calls. */
export type JournalStore = {
  readonly place: JournalLocation;
  readonly seal: Seal;
  readonly check: EventCheck;
  readonly anchors: Anchors;
  readonly clock: Clock;
  /** Null: no snapshots. */
  readonly version: string | null;
  readonly known: Map<RunId, CachedRun>;
  /** What each journal looked like from outside when it was last read or written here. */
  readonly seen: Map<RunId, string>;
};

/** A run as this process last saw it, so that the next look reads only what came after. */
export type CachedRun = {
  readonly cursor: Cursor;
  /** Where the last snapshot stands. */
  readonly snapshot: { readonly lines: number; readonly size: number };
};

export type CaughtUp = CachedRun & { readonly torn: number };

const READ_LIMIT = 1024 * 1024 * 1024; // bytes
const REMEMBERED_RUNS = 8;

/**
 * Reads what was appended since the last look. `anchor` must have been read before: a head acknowledged later than
 * this look would seem to be missing.
 */
export function catchUp(store: JournalStore, journal: OpenFile, look: { run: RunId; anchor: Head | null }): CaughtUp {
  const { files } = store.place;
  if (journal.unpacked === null) throw corrupt(journal, 0, "it cannot be unpacked");
  const facts = files.fstatSync(journal.fd);
  const size = journal.unpacked?.length ?? facts.size;
  store.seen.set(look.run, toStamp(facts));
  const known = store.known.get(look.run);
  if (known !== undefined) assertUnchanged(store, journal, { cursor: known.cursor, size });
  const start = known === undefined ? startingPoint(store, journal, look.run) : { ...known, witness: null };
  if (size - start.cursor.size > READ_LIMIT)
    throw corrupt(journal, start.cursor.lines + 1, "it is too large to be ours");
  const bytes = readJournal(files, journal, { from: start.cursor.size, to: size });
  const witnesses = [look.anchor, start.witness].filter((head) => head !== null);
  const folded = fold(start.cursor, bytes, { file: journal.file, seal: store.seal, check: store.check, witnesses });
  const now = { cursor: folded.cursor, snapshot: start.snapshot };
  remember(store, now);
  return { ...now, torn: folded.torn };
}

/**
 * Writes one decision and waits until it is on the disk: from then on it is acknowledged.
 * What follows can be rebuilt or can lag behind, so its failing changes nothing.
 */
export function append(
  store: JournalStore,
  journal: OpenFile,
  { from, drafts }: { from: CaughtUp; drafts: readonly EventDraft[] },
): { cursor: Cursor; events: readonly RunEvent[] } {
  const { files } = store.place;
  const { cursor } = from;
  if (journal.unpacked !== undefined)
    throw new ProblemError({ code: "WRITE_FAILED", file: journal.file, detail: "the run has ended long ago" });
  const { line, next, events } = prepare(store, journal.file, { cursor, drafts });
  if (from.torn > 0) setTornAside(store, journal, cursor);
  try {
    writeAll(files, journal.fd, { bytes: line, position: cursor.size });
  } catch (error) {
    cutBack(store, journal, cursor.size);
    throw error;
  }
  files.fdatasyncSync(journal.fd);
  store.seen.set(next.run, toStamp(files.fstatSync(journal.fd)));
  const due = snapshotIsDue(next, from.snapshot);
  remember(store, { cursor: next, snapshot: due ? { lines: next.lines, size: next.size } : from.snapshot });
  store.anchors.write(next.run, toHead(next), next.state.is === "active");
  if (due) tryWriteSnapshot(store, journal.file, next);
  return { cursor: next, events };
}

/** Differs after every append, and after a torn rest was cut. */
export const toStamp = (facts: { size: number; mtimeMs: number }): string => `${facts.size}:${facts.mtimeMs}`;

/** Everything that can be wrong with a decision comes to light before a byte of it is written. */
function prepare(store: JournalStore, file: string, from: { cursor: Cursor; drafts: readonly EventDraft[] }) {
  const { cursor, drafts } = from;
  const decided = { seq: cursor.seq + 1, at: store.clock.now(), events: drafts };
  const { line, hash, body } = encodeRecord(decided, cursor.hash, store.seal);
  if (line.length > LINE_LIMIT)
    throw new ProblemError({ code: "WRITE_FAILED", file, detail: `the decision takes ${line.length} bytes` });
  // Folded from the text, not from the objects, so that this process and every later one see the same.
  const events = parseEvents(body, cursor, { file, seal: store.seal, check: store.check, witnesses: [] });
  return { line, events, next: advance(cursor, events, { bytes: line, hash }) };
}

type StartingPoint = CachedRun & { readonly witness: Head | null };

function startingPoint(store: JournalStore, journal: OpenFile, run: RunId): StartingPoint {
  const tools = snapshotTools(store);
  const snapshot = tools === null ? null : readSnapshot(tools, journal.file, run);
  const cursor = tools === null || snapshot === null ? null : cursorFrom(snapshot, journal, tools);
  if (cursor !== null) return { cursor, snapshot: { lines: cursor.lines, size: cursor.size }, witness: null };
  const witness = snapshot === null ? null : { seq: snapshot.seq, hash: snapshot.hash };
  return { cursor: emptyCursor(run), snapshot: { lines: 0, size: 0 }, witness };
}

/** The past must not change under a process that has acted on it. */
function assertUnchanged(
  store: JournalStore,
  journal: OpenFile,
  { cursor, size }: { cursor: Cursor; size: number },
): void {
  if (size < cursor.size) throw corrupt(journal, cursor.lines, "it is shorter than it was before");
  if (cursor.last === null) return;
  const { from, bytes } = cursor.last;
  const found = readJournal(store.place.files, journal, { from, to: cursor.size });
  if (!found.equals(bytes)) throw corrupt(journal, cursor.lines, "it is another record than before");
}

/** Keeps the rest of a write that was cut off, and takes it out of the journal. Only under the lock. */
function setTornAside(store: JournalStore, journal: OpenFile, cursor: Cursor): void {
  const { files } = store.place;
  const { size } = files.fstatSync(journal.fd);
  const bytes = readRange(files, journal.fd, { from: cursor.size, to: size });
  const fd = openPlain(files, tornFile(journal.file), OPEN.append);
  if (fd === null) throw corrupt(journal, cursor.lines + 1, "what was cut off cannot be kept");
  try {
    writeAll(files, fd, { bytes, position: null });
  } finally {
    files.closeSync(fd);
  }
  files.ftruncateSync(journal.fd, cursor.size);
}

/** On a full disk the half record would be in the way of the next try; readers pass over it either way. */
function cutBack(store: JournalStore, journal: OpenFile, size: number): void {
  try {
    store.place.files.ftruncateSync(journal.fd, size);
  } catch {
    // The next writer sets it aside.
  }
}

function tryWriteSnapshot(store: JournalStore, file: string, cursor: Cursor): void {
  try {
    const tools = snapshotTools(store);
    if (tools !== null) writeSnapshot(tools, file, cursor);
  } catch {
    // The next start replays more, and that is all.
  }
}

function snapshotTools({ place, seal, version }: JournalStore): SnapshotTools | null {
  return version === null ? null : { files: place.files, seal, version };
}

function remember(store: JournalStore, now: CachedRun): void {
  const { known } = store;
  known.delete(now.cursor.run);
  known.set(now.cursor.run, { cursor: now.cursor, snapshot: now.snapshot });
  for (const oldest of known.keys()) {
    if (known.size <= REMEMBERED_RUNS) break;
    known.delete(oldest);
  }
}

type SnapshotTools = {
  readonly files: FileSystem;
  readonly seal: Seal;
  /** Version of the program: another version may fold to another state, so its snapshots are not used. */
  readonly version: string;
};

/** A snapshot that really is ours. It was written after its head was acknowledged, so it also bears witness to it. */
type Snapshot = Omit<Cursor, "last"> & { readonly last: { readonly from: number; readonly previous: string } };

/** What its hash is made of begins with it, and that of a record with the hash before: neither can stand in for the other. */
const SNAPSHOT_START = "snapshot\n";
const EVERY_RECORDS = 64;
const EVERY_RECORDS_AT_REST = 4;
const EVERY_BYTES = 128 * 1024;
const SNAPSHOT_LIMIT = 64 * 1024 * 1024; // bytes

/** Sooner for a run at rest: it may stay so for days, and people look at it. */
function snapshotIsDue(cursor: Cursor, last: { lines: number; size: number }): boolean {
  const records = cursor.lines - last.lines;
  if (records >= EVERY_RECORDS || cursor.size - last.size >= EVERY_BYTES) return true;
  return records >= EVERY_RECORDS_AT_REST && isAtRest(cursor.state);
}

const isAtRest = (state: RunState): boolean => state.is === "ended" || (state.is === "active" && state.wait !== null);

/** Not synced: a lost or damaged snapshot only costs a full replay. */
function writeSnapshot(tools: SnapshotTools, journal: string, cursor: Cursor): void {
  if (cursor.last === null) return;
  const { from, previous } = cursor.last;
  const content = SNAPSHOT_START + JSON.stringify({ version: tools.version, ...cursor, last: { from, previous } });
  const mark = tools.seal.mark(sha256(content));
  replaceFile(tools.files, snapshotFile(journal), Buffer.from(`${content}\n${mark}\n`));
}

/** Null for any doubt: none there, not ours, of another version, of another run. */
function readSnapshot(tools: SnapshotTools, journal: string, run: string): Snapshot | null {
  try {
    const bytes = readSmall(tools.files, snapshotFile(journal), SNAPSHOT_LIMIT);
    const end = bytes?.indexOf("\n", SNAPSHOT_START.length) ?? -1;
    if (bytes === null || end === -1) return null;
    const start = bytes.toString("latin1", 0, SNAPSHOT_START.length);
    const content = bytes.toString("utf8", SNAPSHOT_START.length, end);
    const mark = bytes.toString("latin1", end + 1).trimEnd();
    if (start !== SNAPSHOT_START || !tools.seal.fits(sha256(bytes.subarray(0, end)), mark, content)) return null;
    const snapshot = JSON.parse(content) as Snapshot & { version: string; state: RunState };
    return snapshot.version === tools.version && snapshot.run === run ? snapshot : null;
  } catch {
    return null;
  }
}

/** The cursor a snapshot stands for, once the one line it ends with was found in the journal; null otherwise. */
function cursorFrom(snapshot: Snapshot, journal: OpenFile, tools: SnapshotTools): Cursor | null {
  const { last, size, run, seq, hash, state, lines } = snapshot;
  const bytes = readJournal(tools.files, journal, { from: last.from, to: size });
  if (bytes.length !== size - last.from) return null;
  const reading = readLine(bytes, last.previous, tools.seal);
  if (reading.is !== "record" || reading.hash !== hash) return null;
  return { run, seq, hash, state, size, lines, last: { ...last, bytes } };
}
