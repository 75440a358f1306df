import { join } from "node:path";
import { ITEMS_ROOT } from "../../ports/items.ts";
import { type FileSystem, folderExists, nodeFiles } from "../files/file-system.ts";
import { createFileLock, type FileLock, whileHeld } from "../journal/file-lock.ts";
import { systemLockProcesses } from "../journal/lock-files.ts";

export type ItemsLocation = { readonly root: string; readonly files: FileSystem };

/** @throws ProblemError UNSAFE_PATH if a folder of the path is a link: its target does not belong to the project */
export function itemsFolder({ root, files }: ItemsLocation): string {
  const names = ITEMS_ROOT.split("/");
  for (let depth = 1; depth <= names.length; depth++) folderExists(files, join(root, ...names.slice(0, depth)));
  return join(root, ...names);
}

/** Time to wait for other writers of item documents. They hold the lock for a few milliseconds at most. */
const ITEMS_LOCK_TIMEOUT_MS = 10_000;
const LOCK_RETRY_MS = 5;

/** Runs `work` while nothing else of this user adds items or changes the backlog. `state` is the user's own folder. */
export function alone<T>(state: string, work: () => T, files: FileSystem = nodeFiles): Promise<T> {
  return whileHeld(itemsLock(state, files), ITEMS_LOCK_TIMEOUT_MS, work);
}

/**
 * Does the same synchronously, without interruption by other work of this process. Returns false if the lock stayed
 * busy for `patience` milliseconds.
 */
export function aloneAtOnce(state: string, work: () => void, patience = ITEMS_LOCK_TIMEOUT_MS): boolean {
  const lock = itemsLock(state, nodeFiles);
  const until = performance.now() + patience;
  try {
    for (;;) {
      const taken = lock.tryAcquire();
      if (taken.ok) {
        work();
        return true;
      }
      if (performance.now() >= until) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_RETRY_MS);
    }
  } finally {
    lock.dispose();
  }
}

const itemsLock = (state: string, files: FileSystem): FileLock =>
  createFileLock({ directory: state, name: "items", files, processes: systemLockProcesses() });
