import type { ActiveRun } from "../../core/run.ts";

/** A driver that was killed may have left its agent behind; whoever comes next ends it. Gives the execution, if any. */
export async function reapOrphans({ stage }: ActiveRun): Promise<string | null> {
  const claim = "claim" in stage ? stage.claim : null;
  if (claim === null) return null;
  const { createProcesses } = await import("../../adapters/process/create-processes.ts"); // rarely needed
  await createProcesses().endAll(claim.nonce);
  return claim.execution;
}
