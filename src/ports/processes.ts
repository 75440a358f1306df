import type { Claim } from "../schema/facts.ts";

/** The processes around us, as far as the system tells. */
export interface Processes {
  /** Who we are, for a claim. */
  self(): Claim["driver"];
  /** True while that very process lives: same boot, same start time, not a reused number. */
  isAlive(driver: Claim["driver"]): boolean;
  /** Ends every process that carries the nonce, and its groups; resolves when none is left. */
  endAll(nonce: string): Promise<void>;
}
