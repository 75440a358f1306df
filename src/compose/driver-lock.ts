import { existsSync } from "node:fs";
import { createFileLock, readHolder } from "../adapters/file-lock/file-lock.ts";
import type { LockLocation } from "../adapters/file-lock/lock-files.ts";
import { systemLockProcesses } from "../adapters/file-lock/lock-processes.ts";
import type { FileSystem } from "../adapters/file-system/file-system.ts";
import { OWN } from "../core/own-folder.ts";
import type { DriverLock } from "../ports/driver-lock.ts";

export type DriverLocation = { readonly own: string; readonly files: FileSystem };

/** The lock in the folder of a journal that the process holds which drives its run. */
export function createDriverLock(location: DriverLocation): DriverLock {
  return {
    holder: () => driverOf(location),
    otherHolder() {
      const pid = driverOf(location);
      return pid === process.pid ? null : pid;
    },
    tryAcquire() {
      const lock = createFileLock(lockOf(location));
      const taken = lock.tryAcquire();
      if (!taken.ok) return { ok: false, pid: taken.holder.pid };
      return {
        ok: true,
        release() {
          taken.lock.release();
          lock.dispose();
        },
      };
    },
  };
}

/** The living process that drives a run here; null when there is none. */
export function driverOf(location: DriverLocation): number | null {
  return existsSync(location.own) ? (readHolder(lockOf(location))?.pid ?? null) : null;
}

const lockOf = ({ own, files }: DriverLocation): LockLocation => ({
  directory: own,
  name: OWN.driver,
  files,
  processes: systemLockProcesses(),
});
