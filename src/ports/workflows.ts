import type { AppliedOverlays } from "../core/overlay.ts";
import type { WorkflowDefinition } from "../schema/plan.ts";

export type ResolvedWorkflow = AppliedOverlays & {
  /** The prompt of a persona, with what overlays changed about it. */
  readonly persona: (name: string) => string;
};

/** The workflows there are. Each file is read once. */
export interface Workflows {
  /** Those that are shipped. */
  names(): readonly string[];
  /** A shipped one without any overlay. @throws ProblemError WORKFLOW_UNKNOWN */
  load(name: string): WorkflowDefinition;
  /** As it holds in this project for this person. @throws ProblemError OVERLAY_INVALID, WORKFLOW_UNKNOWN */
  resolve(name: string): ResolvedWorkflow;
}
