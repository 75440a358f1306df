import type { ProcessIdentity } from "../schema/facts.ts";

/** Processes that the system reports. */
export interface Processes {
  /** Returns the identity of the current process, for a claim. */
  self(): ProcessIdentity;
  /** Returns true while this exact process is alive: same boot and start time, not a reused pid. */
  isAlive(driver: ProcessIdentity): boolean;
  /**
   * Ends every process with the nonce, and its process groups. Resolves when none is left. Ignores processes that
   * started before the driver that issued the nonce.
   */
  endAll(nonce: string, driver?: ProcessIdentity): Promise<void>;
}

/** Source of time, which tests can replace. */
export interface Clock {
  /** Returns wall time as ISO 8601 with milliseconds. Information only, never used for order. */
  now(): string;
}

type DriverLockResult =
  | { readonly ok: true; readonly release: () => void }
  | { readonly ok: false; readonly pid: number };

/** Lock held by the one process that drives a run, while it drives. */
export interface DriverLock {
  /** Returns the pid of the live process that holds the lock, if any. */
  holder(): number | null;
  /** Returns the holder if it is another process. */
  otherHolder(): number | null;
  tryAcquire(): DriverLockResult;
}
