import type { ActiveRun } from "../../core/run.ts";
import type { Project } from "../project/project.ts";

/** Ends the orphaned agent of a killed driver. Returns its execution, if any. */
export async function reapOrphans(
  { endAll }: Pick<Project, "endAll">,
  { stage }: Pick<ActiveRun, "stage">,
): Promise<string | null> {
  const claim = "claim" in stage ? stage.claim : null;
  if (claim === null) return null;
  await endAll(claim.nonce);
  return claim.execution;
}
