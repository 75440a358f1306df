import { dirname, join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { isRunId, type RunId } from "../../schema/ids.ts";
import { ensureFolder, folderExists, OPEN, openPlain } from "../file-lock/file-calls.ts";
import type { FileCalls } from "../file-lock/file-calls.ts";

/** The folder of the journals, `.isdlc/journal`, and how it is reached. */
export type JournalPlace = { readonly directory: string; readonly files: FileCalls };

export type OpenFile = { readonly fd: number; readonly file: string };

/** Finished runs are kept apart, so that finding the open one costs the same after a thousand of them. */
export const endedFolder = (place: JournalPlace): string => join(place.directory, "ended");

/** Folder of the lock: the one around the journals. */
export const stateFolder = (place: JournalPlace): string => dirname(place.directory);

/** @throws ProblemError UNSAFE_PATH for what is no run id: it becomes a file name. */
export function journalFile(place: JournalPlace, run: RunId): string {
  return join(place.directory, `${checkedRun(run)}.jsonl`);
}

/** True when the journal folder is there. @throws ProblemError UNSAFE_PATH when it, or the one around it, is a link. */
export function placeExists(place: JournalPlace): boolean {
  return folderExists(place.files, stateFolder(place)) && folderExists(place.files, place.directory);
}

export function ensurePlace(place: JournalPlace): void {
  ensureFolder(place.files, stateFolder(place));
  ensureFolder(place.files, place.directory);
}

/** Opens a run's journal where it lies now; null when it is in neither folder. */
export function openJournal(place: JournalPlace, run: RunId, flags: "read" | "change"): OpenFile | null {
  const name = `${checkedRun(run)}.jsonl`;
  if (!placeExists(place)) return null;
  // In this order a run that is being moved cannot be missed.
  for (const folder of [place.directory, endedFolder(place)]) {
    if (folder !== place.directory && !folderExists(place.files, folder)) continue;
    const file = join(folder, name);
    const fd = openPlain(place.files, file, OPEN[flags]);
    if (fd !== null) return { fd, file };
  }
  return null;
}

/** Runs with a journal in a folder, newest first. */
export function runsIn(place: JournalPlace, folder: string): readonly RunId[] {
  if (!placeExists(place) || !folderExists(place.files, folder)) return [];
  return place.files
    .readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => name.slice(0, -6))
    .filter(isRunId)
    .sort()
    .toReversed();
}

/** Files that stand beside a journal, wherever it lies. */
export const snapshotFile = (journal: string): string => journal.replace(/\.jsonl$/, ".snap");
export const tornFile = (journal: string): string => journal.replace(/\.jsonl$/, ".torn");

function checkedRun(run: RunId): RunId {
  if (isRunId(run)) return run;
  throw new ProblemError({ code: "UNSAFE_PATH", path: run, detail: "it is not the id of a run" });
}
