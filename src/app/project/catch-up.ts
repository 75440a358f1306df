import { writeProjections } from "../../engine/write-projections.ts";
import type { CurrentRun } from "./current-run.ts";
import type { Project } from "./project.ts";

/** Writes the projections that a program did not write because it was killed as its run ended. */
export function catchUp({ projections }: Pick<Project, "projections">, { state, head }: CurrentRun): void {
  if (state.is === "ended" && projections.isActive()) writeProjections({ projections }, state, head);
}
