import type { Project } from "../project/project.ts";
import type { Choices } from "./choices.ts";
import type { RunRequest } from "./run-request.ts";

/** Run during planning: the request, the choices and the notes. */
export type PlanningContext = {
  readonly project: Project;
  readonly request: RunRequest;
  readonly choices: Choices;
  /** Lines to display to the user, not recorded. */
  readonly notes: string[];
};
