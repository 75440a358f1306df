export type DriverLockResult =
  | { readonly ok: true; readonly release: () => void }
  | { readonly ok: false; readonly pid: number };

/** Held by the one process that drives a run, for as long as it drives. */
export interface DriverLock {
  /** The living process that holds it; null when there is none. */
  holder(): number | null;
  /** The same, when it is another process than this one. */
  otherHolder(): number | null;
  tryAcquire(): DriverLockResult;
}
