import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeProjections } from "../../engine/write-projections.ts";
import { projectionsOf } from "./projections-of.ts";
import type { Current, Project } from "./project.ts";

/** A program that was killed as soon as its run had ended left the files about it behind: they are written now. */
export function catchUp(project: Project, { state, head }: Current): void {
  if (state.is === "ended" && existsSync(join(project.own, "active")))
    writeProjections({ projections: projectionsOf(project) }, state, head);
}
