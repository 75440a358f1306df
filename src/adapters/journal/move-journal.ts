import { basename, join } from "node:path";
import { isRecord } from "../../core/own-value.ts";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Head } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import {
  discardFile,
  ensureFolder,
  type FileSystem,
  placeFile,
  readSmall,
  removeFile,
  syncFolder,
} from "../files/file-system.ts";
import type { LockProcesses } from "./lock-files.ts";
import { putAway } from "./create-file-journal.ts";
import { readJournalBytes } from "./journal-heads.ts";
import { ensurePlace, journalFile, journalName, runsIn, snapshotFile } from "./journal-location.ts";
import { verifyJournal, type VerifyLocation } from "./verify-journal.ts";
import { underLock } from "./set-aside.ts";

export type MovingLocation = VerifyLocation & { readonly processes: LockProcesses };

/** Facts about a moving run in addition to its journal, in the format of the caller. */
export type Journey = Readonly<Record<string, unknown>>;

export type LeavingRun = { readonly run: RunId; readonly bytes: Buffer; readonly journey: Journey };

const MAX_JOURNAL_BYTES = 1024 * 1024 * 1024; // bytes
const JOURNEY_LIMIT = 1024 * 1024;
const NOWHERE: Head = { seq: 0, hash: "" };

const leavingFolder = ({ directory }: MovingLocation): string => join(directory, OWN.leaving);
const movedFolder = ({ directory }: MovingLocation): string => join(directory, OWN.moved);
const journeyName = (run: RunId): string => `${run}.json`;

/**
 * Moves an open run's journal out of its place: from then on, nothing in this working tree continues it. If
 * interrupted, the run is either still open here or listed by `leavingRuns`.
 */
export function leave(place: MovingLocation, run: RunId, journey: Journey): Promise<LeavingRun> {
  return underLock(place, () => {
    const { file, findings, head, sound } = verifyJournal(place, run);
    if (file === null || findings.some(({ is }) => is !== "torn"))
      throw new ProblemError({
        code: "RUN_NOT_MOVABLE",
        why: "its journal is not in order",
        fix: "Look at it: isdlc verify-journal",
      });
    const { files, anchors } = place;
    const folder = leavingFolder(place);
    ensureFolder(files, folder);
    const bytes = (readSmall(files, file, MAX_JOURNAL_BYTES) ?? Buffer.alloc(0)).subarray(0, sound);
    write(files, join(folder, journeyName(run)), Buffer.from(`${JSON.stringify(journey)}\n`));
    anchors.write(run, head, false); // no longer recorded as open, or its journal would be reported as missing
    discardFile(files, snapshotFile(file));
    shift(files, file, folder);
    anchors.write(run, NOWHERE, false);
    return { run, bytes, journey };
  });
}

/** Lists the runs that left and have not been confirmed as arrived. */
export function leavingRuns(place: MovingLocation): readonly LeavingRun[] {
  const { files } = place;
  const folder = leavingFolder(place);
  return runsIn(place, folder).map((run) => {
    const bytes = readSmall(files, join(folder, journalName(run)), MAX_JOURNAL_BYTES) ?? Buffer.alloc(0);
    return {
      run,
      bytes: bytes.subarray(0, bytes.lastIndexOf("\n") + 1),
      journey: readJourney(files, join(folder, journeyName(run))),
    };
  });
}

/** Moves the local journal to the copies after the run arrived elsewhere. */
export function settle(place: MovingLocation, run: RunId): Promise<void> {
  return underLock(place, () => {
    const [from, to] = [leavingFolder(place), movedFolder(place)];
    ensureFolder(place.files, to);
    for (const name of [journalName(run), journeyName(run)]) shift(place.files, join(from, name), to);
  });
}

/** Reopens the run here after the destination refused it. */
export function comeBack(place: MovingLocation, run: RunId): Promise<void> {
  return underLock(place, () => {
    refuseSecond(place, run);
    const file = join(leavingFolder(place), journalName(run));
    const { heads } = readJournalBytes(readSmall(place.files, file, MAX_JOURNAL_BYTES) ?? Buffer.alloc(0), {
      ...place,
      run,
    });
    const head = heads.at(-1) ?? NOWHERE;
    place.anchors.write(run, head, false);
    shift(place.files, file, place.directory);
    place.anchors.write(run, head, true);
    removeFile(place.files, join(leavingFolder(place), journeyName(run)));
  });
}

/** Returns the facts recorded when the run last left. Null if it never left. */
export function lastJourney(place: MovingLocation, run: RunId): Journey | null {
  const file = join(movedFolder(place), journeyName(run));
  return place.files.lstatSync(file, { throwIfNoEntry: false }) === undefined ? null : readJourney(place.files, file);
}

export type ArrivingJournal = { readonly run: RunId; readonly bytes: Buffer; readonly head: Head };

/** Installs a journal from elsewhere. Repeating this after an interruption changes nothing. */
export function arrive(place: MovingLocation, { run, bytes, head }: ArrivingJournal): Promise<void> {
  ensurePlace(place);
  return underLock(place, () => {
    const { files, anchors } = place;
    refuseSecond(place, run);
    for (const other of runsIn(place, place.directory))
      if (other !== run) putAway(place, { run: other, head: verifyJournal(place, other).head });
    const file = journalFile(place, run);
    // Written before the journal: without an anchor, a run started in another working tree is refused as a copy.
    anchors.write(run, head, false);
    if (files.lstatSync(file, { throwIfNoEntry: false }) === undefined) write(files, file, bytes);
    anchors.write(run, head, true);
    for (const name of [journeyName(run), journalName(run)]) removeFile(files, join(movedFolder(place), name));
  });
}

function refuseSecond(place: MovingLocation, run: RunId): void {
  const open = runsIn(place, place.directory).find((other) => other !== run && verifyJournal(place, other).open);
  if (open !== undefined) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "runActive", run: open } });
}

function write(files: FileSystem, file: string, bytes: Buffer): void {
  placeFile(files, file, { bytes, durable: true, place: (temporary) => files.renameSync(temporary, file) });
}

/** Moves a file to another folder, durably. */
function shift(files: FileSystem, file: string, folder: string): void {
  files.renameSync(file, join(folder, basename(file)));
  syncFolder(files, folder);
}

function readJourney(files: FileSystem, file: string): Journey {
  const text = readSmall(files, file, JOURNEY_LIMIT)?.toString("utf8") ?? "{}";
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : {};
}
