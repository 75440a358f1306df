import { isRecord, ownValue } from "../own-value.ts";
import {
  ANALYSIS_PHASES,
  type AnalysisStatus,
  neededPhases,
  toTexts,
  validatePhasesCompleted,
} from "./analysis-status.ts";

export type StartPhase = {
  readonly status: AnalysisStatus;
  /** Always a phase of the workflow. Null: start at the beginning, or no phase is left. */
  readonly startPhase: string | null;
  readonly completedPhases: string[];
  readonly remainingPhases: string[];
  readonly warnings: string[];
};

/**
 * Computes where a build of an item starts. `analysisPhases` are the workflow's analysis phases, in order. An item
 * sized as light does not wait for phases skipped by its sizing.
 */
export function computeStartPhase(
  meta: unknown,
  workflowPhases: unknown,
  analysisPhases: readonly string[] = ANALYSIS_PHASES,
): StartPhase {
  const workflow = toTexts(workflowPhases);
  const raw = (warnings: string[]): StartPhase => ({
    status: "raw",
    startPhase: null,
    completedPhases: [],
    remainingPhases: workflow,
    warnings,
  });
  if (!isRecord(meta)) return raw([]);
  const listed = ownValue(meta, "phases_completed");
  const needed = neededPhases(analysisPhases, toTexts(listed), ownValue(meta, "sizing_decision"));
  const { valid, warnings } = validatePhasesCompleted(listed, needed);
  if (valid.length === 0) return raw(warnings);
  const missing = needed.slice(valid.length);
  const afterAnalysis = workflow.find((key) => !analysisPhases.includes(key)) ?? null;
  const startPhase = missing.find((key) => workflow.includes(key)) ?? afterAnalysis;
  const left = startPhase === null ? [] : workflow.slice(workflow.indexOf(startPhase));
  return {
    status: missing.length === 0 ? "analyzed" : "partial",
    startPhase,
    completedPhases: valid,
    remainingPhases: left.filter((key) => !analysisPhases.includes(key) || needed.includes(key)),
    warnings,
  };
}
