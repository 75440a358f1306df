import { dirname, join } from "node:path";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import { isRunId, type RunId } from "../../schema/ids.ts";
import { discardFile, ensureFolder, folderExists, OPEN, openPlain, readRange } from "../file-system/file-system.ts";
import type { FileSystem } from "../file-system/file-system.ts";
import { ARCHIVE_LIMIT, unpacked } from "./packed.ts";

/** The folder of the journals, `.isdlc/journal`, and how it is reached. */
export type JournalLocation = { readonly directory: string; readonly files: FileSystem };

export type OpenFile = {
  readonly fd: number;
  readonly file: string;
  /** What a packed journal holds; such a one is only read. Null when it cannot be unpacked. */
  readonly unpacked?: Buffer | null;
};

export const journalName = (run: RunId): string => `${run}.jsonl`;
/** A journal of long ago, compressed. */
export const archiveName = (run: RunId): string => `${run}.jsonl.gz`;

/** Finished runs are kept apart, so that finding the open one costs the same after a thousand of them. */
export const endedFolder = (place: JournalLocation): string => join(place.directory, OWN.ended);

/** Folder of the lock: the one around the journals. */
export const stateFolder = (place: JournalLocation): string => dirname(place.directory);

/** @throws ProblemError UNSAFE_PATH for what is no run id: it becomes a file name. */
export function journalFile(place: JournalLocation, run: RunId): string {
  return join(place.directory, journalName(checkedRun(run)));
}

/** True when the journal folder is there. @throws ProblemError UNSAFE_PATH when it, or the one around it, is a link. */
export function placeExists(place: JournalLocation): boolean {
  return folderExists(place.files, stateFolder(place)) && folderExists(place.files, place.directory);
}

export function ensurePlace(place: JournalLocation): void {
  ensureFolder(place.files, stateFolder(place));
  ensureFolder(place.files, place.directory);
}

/** Opens a run's journal where it lies now; null when it is in neither folder. A packed one is opened for reading only. */
export function openJournal(place: JournalLocation, run: RunId, flags: "read" | "change"): OpenFile | null {
  const name = journalName(checkedRun(run));
  if (!placeExists(place)) return null;
  // In this order a run that is being moved or packed cannot be missed.
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

/** Bytes of the journal itself, however it is kept. */
export function journalSize(files: FileSystem, journal: OpenFile): number {
  return journal.unpacked === undefined ? files.fstatSync(journal.fd).size : (journal.unpacked?.length ?? 0);
}

/** A range of the journal itself; fewer bytes when it ends earlier. */
export function readJournal(files: FileSystem, journal: OpenFile, range: { from: number; to: number }): Buffer {
  if (journal.unpacked === undefined) return readRange(files, journal.fd, range);
  return journal.unpacked?.subarray(range.from, range.to) ?? Buffer.alloc(0);
}

/** Runs with a journal in a folder, newest first. */
export function runsIn(place: JournalLocation, folder: string): readonly RunId[] {
  if (!placeExists(place) || !folderExists(place.files, folder)) return [];
  const names = place.files.readdirSync(folder);
  const runs = new Set([...runsNamed(names, journalName), ...runsNamed(names, archiveName)]);
  return [...runs].sort().toReversed();
}

/** The newest run with a journal in a folder, without putting all of them in order. */
export function newestIn(place: JournalLocation, folder: string): RunId | null {
  if (!placeExists(place) || !folderExists(place.files, folder)) return null;
  let newest = "";
  for (const name of place.files.readdirSync(folder)) {
    if (name <= newest) continue; // ids sort by time, and most names need no closer look than this
    const run = name.slice(0, name.indexOf("."));
    if ((name === journalName(run) || name === archiveName(run)) && isRunId(run)) newest = run;
  }
  return newest === "" ? null : newest;
}

/** The runs whose file is among the names, newest first. */
export function runsNamed(names: readonly string[], nameOf: (run: RunId) => string): readonly RunId[] {
  const ending = nameOf("");
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter(isRunId)
    .sort()
    .toReversed();
}

/** Files that stand beside a journal, wherever it lies. */
export const snapshotFile = (journal: string): string => journal.replace(/\.jsonl(?:\.gz)?$/, ".snap");
export const tornFile = (journal: string): string => journal.replace(/\.jsonl(?:\.gz)?$/, ".torn");

function checkedRun(run: RunId): RunId {
  if (isRunId(run)) return run;
  throw new ProblemError({ code: "UNSAFE_PATH", path: run, detail: "it is not the id of a run" });
}

/** Only a writer makes temporary files, and the caller is the writer now: what is there was left by one that was killed. */
export function sweepTemporary(files: FileSystem, folder: string, names: readonly string[]): void {
  for (const name of names) if (name.endsWith(".tmp")) discardFile(files, join(folder, name));
}
