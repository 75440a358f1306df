import { OWN } from "../../core/own-folder.ts";
import { createFileLock, whileHeld } from "../file-lock/file-lock.ts";
import type { LockProcesses } from "../file-lock/lock-files.ts";
import { type JournalLocation, stateFolder } from "./journal-location.ts";

const LOCK_TIMEOUT_MS = 10_000; // milliseconds

export type LockedLocation = JournalLocation & { readonly processes: LockProcesses };

/** Runs `work` while no other process writes to the journals of a place. */
export function underLock<T>(place: LockedLocation, work: () => T): Promise<T> {
  const { files, processes } = place;
  const lock = createFileLock({ directory: stateFolder(place), name: OWN.lock, files, processes });
  return whileHeld(lock, LOCK_TIMEOUT_MS, work);
}
