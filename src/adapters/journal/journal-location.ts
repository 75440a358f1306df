import { dirname, join, basename } from "node:path";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import { isRunId, type RunId } from "../../schema/ids.ts";
import {
  discardFile,
  ensureFolder,
  folderExists,
  OPEN,
  openPlain,
  readRange,
  nodeFiles,
} from "../files/file-system.ts";
import type { FileSystem } from "../files/file-system.ts";
import { ARCHIVE_LIMIT, unpacked } from "./packed.ts";
import { isRecord, ownValue } from "../../core/own-value.ts";

/** Folder of the journals, `.isdlc/journal`, and access to it. */
export type JournalLocation = { readonly directory: string; readonly files: FileSystem };

export type OpenFile = {
  readonly fd: number;
  readonly file: string;
  /** Content of a packed journal, which is read-only. Null if it cannot be unpacked. */
  readonly unpacked?: Buffer | null;
};

export const journalName = (run: RunId): string => `${run}.jsonl`;
/** Returns the file name of a compressed journal. */
export const archiveName = (run: RunId): string => `${run}.jsonl.gz`;

/** Separate folder for ended runs: finding the open run takes the same time after a thousand of them. */
export const endedFolder = (place: JournalLocation): string => join(place.directory, OWN.ended);

/** Folder of the lock: the parent of the journals. */
export const stateFolder = (place: JournalLocation): string => dirname(place.directory);

/**
 * Returns the file of a run's journal.
 * @throws ProblemError UNSAFE_PATH for anything but a run id, as it becomes a file name.
 */
export function journalFile(place: JournalLocation, run: RunId): string {
  return join(place.directory, journalName(checkedRun(run)));
}

/**
 * True if the journal folder exists.
 * @throws ProblemError UNSAFE_PATH if it or its parent is a link.
 */
export function placeExists(place: JournalLocation): boolean {
  return folderExists(place.files, stateFolder(place)) && folderExists(place.files, place.directory);
}

export function ensurePlace(place: JournalLocation): void {
  ensureFolder(place.files, stateFolder(place));
  ensureFolder(place.files, place.directory);
}

/** Opens a run's journal in its current folder. Null if neither folder has it. Packed journals are read-only. */
export function openJournal(place: JournalLocation, run: RunId, flags: "read" | "change"): OpenFile | null {
  const name = journalName(checkedRun(run));
  if (!placeExists(place)) return null;
  // This order finds a run even while it is moved or packed.
  for (const folder of [place.directory, endedFolder(place)]) {
    if (folder !== place.directory && !folderExists(place.files, folder)) continue;
    const file = join(folder, name);
    const fd = openPlain(place.files, file, OPEN[flags]);
    if (fd !== null) return { fd, file };
  }
  return openArchive(place, run);
}

function openArchive({ directory, files }: JournalLocation, run: RunId): OpenFile | null {
  const folder = endedFolder({ directory, files });
  if (!folderExists(files, folder)) return null;
  const file = join(folder, archiveName(run));
  const fd = openPlain(files, file, OPEN.read);
  if (fd === null) return null;
  try {
    const { size } = files.fstatSync(fd);
    return { fd, file, unpacked: size > ARCHIVE_LIMIT ? null : unpacked(readRange(files, fd, { from: 0, to: size })) };
  } catch (error) {
    files.closeSync(fd);
    throw error;
  }
}

/** Returns the size of the unpacked journal in bytes. */
export function journalSize(files: FileSystem, journal: OpenFile): number {
  return journal.unpacked === undefined ? files.fstatSync(journal.fd).size : (journal.unpacked?.length ?? 0);
}

/** Reads a range of the unpacked journal; fewer bytes if it ends earlier. */
export function readJournal(files: FileSystem, journal: OpenFile, range: { from: number; to: number }): Buffer {
  if (journal.unpacked === undefined) return readRange(files, journal.fd, range);
  return journal.unpacked?.subarray(range.from, range.to) ?? Buffer.alloc(0);
}

/** Lists the runs with a journal in a folder, newest first. */
export function runsIn(place: JournalLocation, folder: string): readonly RunId[] {
  if (!placeExists(place) || !folderExists(place.files, folder)) return [];
  const names = place.files.readdirSync(folder);
  const runs = new Set([...runsNamed(names, journalName), ...runsNamed(names, archiveName)]);
  return [...runs].sort().toReversed();
}

/** Returns the newest run with a journal in a folder, without sorting all of them. */
export function newestIn(place: JournalLocation, folder: string): RunId | null {
  if (!placeExists(place) || !folderExists(place.files, folder)) return null;
  let newest = "";
  for (const name of place.files.readdirSync(folder)) {
    if (name <= newest) continue; // ids sort by time; most names need no further check
    const run = name.slice(0, name.indexOf("."));
    if ((name === journalName(run) || name === archiveName(run)) && isRunId(run)) newest = run;
  }
  return newest === "" ? null : newest;
}

/** Returns the runs with a file among the names, newest first. */
export function runsNamed(names: readonly string[], nameOf: (run: RunId) => string): readonly RunId[] {
  const ending = nameOf("");
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter(isRunId)
    .sort()
    .toReversed();
}

/** Returns the files next to a journal, in either folder. */
export const snapshotFile = (journal: string): string => journal.replace(/\.jsonl(?:\.gz)?$/, ".snap");
export const tornFile = (journal: string): string => journal.replace(/\.jsonl(?:\.gz)?$/, ".torn");

function checkedRun(run: RunId): RunId {
  if (isRunId(run)) return run;
  throw new ProblemError({ code: "UNSAFE_PATH", path: run, detail: "it is not the id of a run" });
}

/**
 * Removes temporary files. Only writers create them, and the caller is the current writer: existing ones are from
 * killed writers.
 */
export function sweepTemporary(files: FileSystem, folder: string, names: readonly string[]): void {
  for (const name of names) if (name.endsWith(".tmp")) discardFile(files, join(folder, name));
}

const ENDINGS: readonly unknown[] = ["run.finished", "run.cancelled"];
const ENDING = ".jsonl";
/** Bytes read from the end of a journal. The record that ends a run has only a few hundred bytes. */
const TAIL = 1024 * 1024;

type SeenJournal = { readonly name: string; readonly isEnded: boolean };

/** Lists the journals directly in a folder, by the name of their run. Empty if it is not a folder. */
export function journalsIn(directory: string): readonly SeenJournal[] {
  if (nodeFiles.lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return nodeFiles
    .readdirSync(directory)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => ({ name: basename(file, ENDING), isEnded: hasEnded(join(directory, file)) }));
}

/**
 * True if the last complete record of the journal ends the run; seals are not checked here. An empty journal, of a run
 * that never started, counts as ended. A file not named after a run is in doubt and counts as open.
 */
function hasEnded(file: string): boolean {
  if (!isRunId(basename(file, ENDING))) return false;
  try {
    const bytes = readTail(file);
    const end = bytes.lastIndexOf(0x0a);
    if (end === -1) return bytes.length === 0;
    const start = bytes.lastIndexOf(0x0a, end - 1) + 1;
    const events = ownValue(JSON.parse(bytes.toString("utf8", start, end)), "events");
    const last: unknown = Array.isArray(events) ? events.at(-1) : null;
    return isRecord(last) && ENDINGS.includes(ownValue(last, "type"));
  } catch {
    return false;
  }
}

function readTail(file: string): Buffer {
  const fd = openPlain(nodeFiles, file, OPEN.read);
  if (fd === null) return Buffer.alloc(0);
  try {
    const { size } = nodeFiles.fstatSync(fd);
    return readRange(nodeFiles, fd, { from: Math.max(0, size - TAIL), to: size });
  } finally {
    nodeFiles.closeSync(fd);
  }
}
