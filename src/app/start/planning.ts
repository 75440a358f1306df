import type { Project } from "../project/project.ts";
import type { Choices } from "./choices.ts";
import type { RunRequest } from "./run-request.ts";

/** A run that is being planned: what is asked for, what is left to choose, and what is to be said about it. */
export type PlanningContext = {
  readonly project: Project;
  readonly request: RunRequest;
  readonly choices: Choices;
  /** Lines for the person, to be shown and not recorded. */
  readonly notes: string[];
};
