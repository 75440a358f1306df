import { loadWorkflow, workflowNames } from "../../adapters/project-files/definitions.ts";
import type { ProjectView } from "../../schema/api-project.ts";

/** Returns the workflows to offer in the web UI. Work to adopt can only be named at the command line. */
export const shippedWorkflows = (): ProjectView["workflows"] =>
  workflowNames()
    .map(loadWorkflow)
    .filter(({ phases }) => phases.every(({ adopts }) => adopts !== true))
    .map(({ name, label, description }) => ({ name, label, description }));
