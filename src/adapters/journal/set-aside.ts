import { randomBytes } from "node:crypto";
import type { Head } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import { folderExists, OPEN, PRIVATE, readRange, discardFile, syncFolder, writeAll } from "../files/file-system.ts";
import type { LockProcesses } from "./lock-files.ts";
import { type OpenFile, openJournal, snapshotFile, stateFolder, type JournalLocation } from "./journal-location.ts";
import { verifyJournal, type Finding, type JournalVerification, type VerifyLocation } from "./verify-journal.ts";
import { basename, dirname } from "node:path";
import { OWN } from "../../core/own-folder.ts";
import { createFileLock, whileHeld } from "./file-lock.ts";

export type SetAside =
  | { readonly is: "nothingToDo" }
  /** The journal is missing. Its anchor was removed, to allow a new run. */
  | { readonly is: "givenUp"; readonly findings: readonly Finding[] }
  /** Started in another place; belongs to this working tree from now on. */
  | { readonly is: "adopted"; readonly findings: readonly Finding[] }
  | {
      readonly is: "cut";
      readonly findings: readonly Finding[];
      /** New end of the journal. */
      readonly head: Head;
      /** File with all removed bytes. */
      readonly kept: string | null;
      readonly bytes: number;
    };

/**
 * Cuts a journal before its first foreign or damaged line, and accepts the rest as valid. Only on a user's decision.
 */
export async function setAside(
  place: VerifyLocation & { readonly processes: LockProcesses },
  run: RunId,
): Promise<SetAside> {
  // Without the folder, there is no place for a lock, and nothing to guard.
  if (!folderExists(place.files, stateFolder(place))) return cut(place, run);
  return underLock(place, () => cut(place, run));
}

function cut(place: VerifyLocation, run: RunId): SetAside {
  const verified = verifyJournal(place, run);
  const { findings, head, open } = verified;
  // Records of a newer version are valid; cutting them would destroy its decisions.
  if (findings.length === 0 || findings.some((finding) => finding.is === "newer")) return { is: "nothingToDo" };
  if (isMoved(place, run, findings)) {
    place.anchors.write(run, head, open);
    return { is: "adopted", findings };
  }
  const journal = openJournal(place, run, "change");
  if (journal === null) {
    place.anchors.write(run, { seq: 0, hash: "" }, false);
    return { is: "givenUp", findings };
  }
  try {
    // Packed journals belong to ended runs, which never continue: nothing is cut.
    return journal.unpacked === undefined ? cutFile(place, journal, verified) : { is: "nothingToDo" };
  } finally {
    place.files.closeSync(journal.fd);
  }
}

const isForeign = (findings: readonly Finding[]): boolean => findings.some(({ is }) => is === "elsewhere");

/** True if nothing else is wrong, and this working tree has no other open run. */
const isMoved = ({ anchors }: VerifyLocation, run: RunId, findings: readonly Finding[]): boolean =>
  isForeign(findings) && findings.length === 1 && (anchors.openRun() ?? run) === run;

/** Cuts the file after its valid part. A run of another working tree is removed completely. */
function cutFile(place: VerifyLocation, { fd, file }: OpenFile, verified: JournalVerification): SetAside {
  const { files, anchors } = place;
  const { findings, head, size, open } = verified;
  const sound = isForeign(findings) ? 0 : verified.sound;
  const kept = sound < size ? `${file}.aside-${randomBytes(4).toString("hex")}` : null;
  if (kept !== null) keep(place, kept, readRange(files, fd, { from: sound, to: size }));
  files.ftruncateSync(fd, sound);
  files.fdatasyncSync(fd);
  discardFile(files, snapshotFile(file));
  if (sound === 0) discardFile(files, file);
  if (!isForeign(findings)) anchors.write(basename(file, ".jsonl"), head, open);
  return { is: "cut", findings, head, kept, bytes: size - sound };
}

function keep(place: VerifyLocation, file: string, bytes: Buffer): void {
  const fd = place.files.openSync(file, OPEN.createNew, PRIVATE);
  try {
    writeAll(place.files, fd, { bytes, position: null });
    place.files.fsyncSync(fd);
  } finally {
    place.files.closeSync(fd);
  }
  syncFolder(place.files, dirname(file));
}

const JOURNAL_LOCK_TIMEOUT_MS = 10_000; // milliseconds

type LockedLocation = JournalLocation & { readonly processes: LockProcesses };

/** Runs `work` while no other process writes to the journals of a place. */
export function underLock<T>(place: LockedLocation, work: () => T): Promise<T> {
  const { files, processes } = place;
  const lock = createFileLock({ directory: stateFolder(place), name: OWN.lock, files, processes });
  return whileHeld(lock, JOURNAL_LOCK_TIMEOUT_MS, work);
}
