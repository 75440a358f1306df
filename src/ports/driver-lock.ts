export type DriverLockResult =
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
