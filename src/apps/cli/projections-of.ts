import { createProjections } from "../../adapters/projections/create-projections.ts";
import type { Projections } from "../../ports/projections.ts";
import type { Project } from "./project.ts";

/** The files beside a project's journal. */
export const projectionsOf = ({ root, files, item }: Project): Projections => createProjections(root, files, item);
