import type { ProcessIdentity } from "../schema/facts.ts";

/** The processes around us, as far as the system tells. */
export interface Processes {
  /** Who we are, for a claim. */
  self(): ProcessIdentity;
  /** True while that very process lives: same boot, same start time, not a reused number. */
  isAlive(driver: ProcessIdentity): boolean;
  /**
   * Ends every process that carries the nonce, and its groups; resolves when none is left. Nobody who began before the
   * driver that handed it out is taken for one.
   */
  endAll(nonce: string, driver?: ProcessIdentity): Promise<void>;
}
