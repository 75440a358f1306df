import type { AppliedOverlays } from "../core/overlay/overlay.ts";
import type { WorkflowDefinition } from "../schema/plan.ts";

export type ResolvedWorkflow = AppliedOverlays & {
  /** Returns a persona's prompt with the changes of overlays. */
  readonly persona: (name: string) => string;
};

/** Available workflows. Each file is read once. */
export interface Workflows {
  /** Returns the names of the shipped workflows. */
  names(): readonly string[];
  /**
   * Returns a shipped workflow without overlays.
   * @throws ProblemError WORKFLOW_UNKNOWN
   */
  load(name: string): WorkflowDefinition;
  /**
   * Returns a workflow with the overlays of this project and this user.
   * @throws ProblemError OVERLAY_INVALID, WORKFLOW_UNKNOWN
   */
  resolve(name: string): ResolvedWorkflow;
}
