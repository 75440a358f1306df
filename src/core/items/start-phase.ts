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
  /** Always a phase of the workflow; null: begin at its beginning, or nothing is left to do. */
  readonly startPhase: string | null;
  readonly completedPhases: string[];
  readonly remainingPhases: string[];
  readonly warnings: string[];
};

/**
 * Where a build of an item begins. `analysisPhases` are those the workflow marks as analysis, in order; an item that
 * was sized as light does not wait for the phases its sizing leaves out.
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
