import type { RunState } from "../../core/run.ts";
import type { Seal } from "../../ports/seal.ts";
import { readSmall, replaceFile } from "../file-system/file-system.ts";
import type { FileSystem } from "../file-system/file-system.ts";
import type { Cursor } from "./fold.ts";
import { readJournal, snapshotFile, type OpenFile } from "./journal-location.ts";
import { readLine, snapshotHash } from "./record.ts";

export type SnapshotTools = {
  readonly files: FileSystem;
  readonly seal: Seal;
  /** Version of the program: another version may fold to another state, so its snapshots are not used. */
  readonly version: string;
};

/** A snapshot that really is ours. It was written after its head was acknowledged, so it also bears witness to it. */
export type Snapshot = Omit<Cursor, "last"> & { readonly last: { readonly from: number; readonly previous: string } };

const EVERY_RECORDS = 64;
const EVERY_RECORDS_AT_REST = 4;
const EVERY_BYTES = 128 * 1024;
const SNAPSHOT_LIMIT = 64 * 1024 * 1024; // bytes

/** Sooner for a run at rest: it may stay so for days, and people look at it. */
export function snapshotIsDue(cursor: Cursor, last: { lines: number; size: number }): boolean {
  const records = cursor.lines - last.lines;
  if (records >= EVERY_RECORDS || cursor.size - last.size >= EVERY_BYTES) return true;
  return records >= EVERY_RECORDS_AT_REST && isAtRest(cursor.state);
}

const isAtRest = (state: RunState): boolean => state.is === "ended" || (state.is === "active" && state.wait !== null);

/** Not synced: a lost or damaged snapshot only costs a full replay. */
export function writeSnapshot(tools: SnapshotTools, journal: string, cursor: Cursor): void {
  if (cursor.last === null) return;
  const { from, previous } = cursor.last;
  const content = JSON.stringify({ version: tools.version, ...cursor, last: { from, previous } });
  const mark = tools.seal.mark(snapshotHash(content));
  replaceFile(tools.files, snapshotFile(journal), Buffer.from(`${content}\n${mark}\n`));
}

/** Null for any doubt: none there, not ours, of another version, of another run. */
export function readSnapshot(tools: SnapshotTools, journal: string, run: string): Snapshot | null {
  try {
    const [content = "", mark = ""] =
      readSmall(tools.files, snapshotFile(journal), SNAPSHOT_LIMIT)?.toString("utf8").split("\n") ?? [];
    if (!tools.seal.fits(snapshotHash(content), mark, content)) return null;
    const snapshot = JSON.parse(content) as Snapshot & { version: string; state: RunState };
    return snapshot.version === tools.version && snapshot.run === run ? snapshot : null;
  } catch {
    return null;
  }
}

/** The cursor a snapshot stands for, once the one line it ends with was found in the journal; null otherwise. */
export function cursorFrom(snapshot: Snapshot, journal: OpenFile, tools: SnapshotTools): Cursor | null {
  const { last, size, run, seq, hash, state, lines } = snapshot;
  const bytes = readJournal(tools.files, journal, { from: last.from, to: size });
  if (bytes.length !== size - last.from) return null;
  const reading = readLine(bytes, last.previous, tools.seal);
  if (reading.is !== "record" || reading.hash !== hash) return null;
  return { run, seq, hash, state, size, lines, last: { ...last, bytes } };
}
