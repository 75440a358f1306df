import { type FileSystem, nodeFiles } from "../file-system/file-system.ts";
import { createFileLock, type FileLock, whileHeld } from "../file-lock/file-lock.ts";
import { systemLockProcesses } from "../file-lock/lock-files.ts";

/** Waiting for others who write documents of items, in milliseconds. Nobody holds the lock for longer than a few. */
const LOCK_TIMEOUT_MS = 10_000;
const LOCK_RETRY_MS = 5;

/** Does the work while nobody else of this user adds items or changes the backlog. `state`: the user's own folder. */
export function alone<T>(state: string, work: () => T, files: FileSystem = nodeFiles): Promise<T> {
  return whileHeld(itemsLock(state, files), LOCK_TIMEOUT_MS, work);
}

/** The same for work that nothing else of this process may come in between of. False when others did not make room in time. */
export function aloneAtOnce(state: string, work: () => void, patience = LOCK_TIMEOUT_MS): boolean {
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
