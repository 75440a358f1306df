import { loadWorkflow, workflowNames } from "../../adapters/project-files/definitions.ts";
import type { ProjectView } from "../../schema/api-project.ts";

/** Returns the workflows to offer in the web UI. */
export const shippedWorkflows = (): ProjectView["workflows"] =>
  workflowNames()
    .map(loadWorkflow)
    .map(({ name, label, description }) => ({ name, label, description }));
