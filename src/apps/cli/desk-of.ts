import { createDesk } from "../../adapters/desk/create-desk.ts";
import type { Desk } from "../../ports/desk.ts";
import type { Project } from "./project.ts";

/** The files beside a project's journal. */
export const deskOf = ({ root, files, item }: Project): Desk => createDesk(root, files, item);
