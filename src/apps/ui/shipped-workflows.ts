import { loadWorkflow, workflowNames } from "../../adapters/definitions/definitions.ts";
import type { ProjectView } from "../../schema/api-project.ts";

/** The workflows that a page offers. */
export const shippedWorkflows = (): ProjectView["workflows"] =>
  workflowNames()
    .map(loadWorkflow)
    .map(({ name, label, description }) => ({ name, label, description }));
