import type { RunState } from "../../core/run.ts";
import type { StatusView } from "../../schema/api-status.ts";
import { type Liveness, statusObject } from "../../views/status.ts";
import { reapOrphans } from "../answer/reap-orphans.ts";
import type { Project } from "../project/project.ts";

export type RunLook = {
  /** Null when nothing was ever started. */
  readonly view: StatusView | null;
  readonly liveness: Liveness;
};

type DriverSources = { readonly driver: Pick<Project["driver"], "holder"> } & Pick<Project, "endAll">;

/** Where a run stands, and whether anybody drives it. What a killed driver left behind is ended by whoever looks. */
export async function lookAtRun(project: DriverSources, state: RunState): Promise<RunLook> {
  const isAtWork = state.is === "active" && state.wait === null;
  const liveness = { driven: isAtWork && project.driver.holder() !== null };
  if (state.is === "active" && !liveness.driven) await reapOrphans(project, state);
  return { view: statusObject(state, liveness), liveness };
}
