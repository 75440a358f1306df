import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import type { Head, Seal } from "../../ports/journal.ts";
import type { EventDraft, RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import { type FileSystem, OPEN, openPlain, readRange, readSmall, replaceFile, writeAll } from "../files/file-system.ts";
import { sha256 } from "../files/node-crypto.ts";
import type { Anchors } from "../files/anchors.ts";
import { advance, corrupt, type Cursor, emptyCursor, parseEvents, fold, toHead } from "./fold.ts";
import { type JournalLocation, type OpenFile, readJournal, snapshotFile, tornFile } from "./journal-location.ts";
import { encodeRecord, type EventCheck, LINE_LIMIT, readLine } from "./record.ts";
import type { Clock } from "../../ports/processes.ts";

/** Dependencies and caches of the functions for journals. */
export type JournalStore = {
  readonly place: JournalLocation;
  readonly seal: Seal;
  readonly check: EventCheck;
  readonly anchors: Anchors;
  readonly clock: Clock;
  /** Null disables snapshots. */
  readonly version: string | null;
  readonly known: Map<RunId, CachedRun>;
  /** Stat data of each journal when this process last read or wrote it. */
  readonly seen: Map<RunId, string>;
};

/** Run as last read by this process. The next read starts after it. */
export type CachedRun = {
  readonly cursor: Cursor;
  /** Position of the last snapshot. */
  readonly snapshot: { readonly lines: number; readonly size: number };
};

export type CaughtUp = CachedRun & { readonly torn: number };

const READ_LIMIT = 1024 * 1024 * 1024; // bytes
const REMEMBERED_RUNS = 8;

/**
 * Reads records appended since the last read. `anchor` must have been read before: a head acknowledged after this read
 * would seem to be missing.
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
 * Writes one decision and waits until it is on the disk: then it is acknowledged. Later steps can be repeated or can
 * lag behind; their failures change nothing.
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

/** Changes with every append, and when a torn record is removed. */
export const toStamp = (facts: { size: number; mtimeMs: number }): string => `${facts.size}:${facts.mtimeMs}`;

/** Detects all errors of a decision before any byte of it is written. */
function prepare(store: JournalStore, file: string, from: { cursor: Cursor; drafts: readonly EventDraft[] }) {
  const { cursor, drafts } = from;
  const decided = { seq: cursor.seq + 1, at: store.clock.now(), events: drafts };
  const { line, hash, body } = encodeRecord(decided, cursor.hash, store.seal);
  if (line.length > LINE_LIMIT)
    throw new ProblemError({ code: "WRITE_FAILED", file, detail: `the decision takes ${line.length} bytes` });
  // Folds the text instead of the objects: this process and every later one get the same result.
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

/** Fails if a record that this process acted on has changed. */
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

/** Saves the remains of an interrupted write and removes them from the journal. Only under the lock. */
function setTornAside(store: JournalStore, journal: OpenFile, cursor: Cursor): void {
  const { files } = store.place;
  const { size } = files.fstatSync(journal.fd);
  const bytes = readRange(files, journal.fd, { from: cursor.size, to: size });
  const fd = openPlain(files, tornFile(journal.file), OPEN.append);
  if (fd === null) throw corrupt(journal, cursor.lines + 1, "the cut part cannot be saved");
  try {
    writeAll(files, fd, { bytes, position: null });
  } finally {
    files.closeSync(fd);
  }
  files.ftruncateSync(journal.fd, cursor.size);
}

/** On a full disk, a partial record would block the next attempt. Readers skip it in either case. */
function cutBack(store: JournalStore, journal: OpenFile, size: number): void {
  try {
    store.place.files.ftruncateSync(journal.fd, size);
  } catch {
    // The next writer removes it.
  }
}

function tryWriteSnapshot(store: JournalStore, file: string, cursor: Cursor): void {
  try {
    const tools = snapshotTools(store);
    if (tools !== null) writeSnapshot(tools, file, cursor);
  } catch {
    // The next start only replays more records.
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
  /** Version of the program. Snapshots of other versions are not used: these may fold to another state. */
  readonly version: string;
};

/** Snapshot with a valid seal. It was written after its head was acknowledged, and therefore also proves that head. */
type Snapshot = Omit<Cursor, "last"> & { readonly last: { readonly from: number; readonly previous: string } };

/** Prefix of hashed snapshots. Hashed records start with the previous hash: neither can pass for the other. */
const SNAPSHOT_START = "snapshot\n";
const EVERY_RECORDS = 64;
const EVERY_RECORDS_AT_REST = 4;
const EVERY_BYTES = 128 * 1024;
const SNAPSHOT_LIMIT = 64 * 1024 * 1024; // bytes

/** A run that waits or ended needs fewer records: its state may last for days, and users read it. */
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

/** Returns null in any doubt: missing, a wrong seal, another version or another run. */
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

/** Returns the cursor of a snapshot if its last line is found in the journal, otherwise null. */
function cursorFrom(snapshot: Snapshot, journal: OpenFile, tools: SnapshotTools): Cursor | null {
  const { last, size, run, seq, hash, state, lines } = snapshot;
  const bytes = readJournal(tools.files, journal, { from: last.from, to: size });
  if (bytes.length !== size - last.from) return null;
  const reading = readLine(bytes, last.previous, tools.seal);
  if (reading.is !== "record" || reading.hash !== hash) return null;
  return { run, seq, hash, state, size, lines, last: { ...last, bytes } };
}
