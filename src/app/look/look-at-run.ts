import type { RunState } from "../../core/run.ts";
import type { StatusView } from "../../schema/api-status.ts";
import { type Liveness, statusObject } from "../../views/status.ts";
import { reapOrphans } from "../answer/reap-orphans.ts";
import type { Project } from "../project/project.ts";

export type RunLook = {
  /** Null if no run was ever started. */
  readonly view: StatusView | null;
  readonly liveness: Liveness;
};

type DriverSources = { readonly driver: Pick<Project["driver"], "holder"> } & Pick<Project, "endAll">;

/** Returns the status of a run, and if it is driven. Ends orphaned agents of a killed driver. */
export async function lookAtRun(project: DriverSources, state: RunState): Promise<RunLook> {
  const isAtWork = state.is === "active" && state.wait === null;
  const liveness = { driven: isAtWork && project.driver.holder() !== null };
  if (state.is === "active" && !liveness.driven) await reapOrphans(project, state);
  return { view: statusObject(state, liveness), liveness };
}
