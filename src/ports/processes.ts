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
