import { writeProjections } from "../../engine/write-projections.ts";
import type { CurrentRun } from "./current-run.ts";
import type { Project } from "./project.ts";

/** A program that was killed as soon as its run had ended left the files about it behind: they are written now. */
export function catchUp({ projections }: Pick<Project, "projections">, { state, head }: CurrentRun): void {
  if (state.is === "ended" && projections.isActive()) writeProjections({ projections }, state, head);
}
