import { createPhaseSummaryGenerator } from "./library/phase-summary/create-phase-summary-generator.ts";
import { renderStateSummary } from "./library/phase-summary/state-summary.ts";

export { decide } from "./core/decide/decide.ts";
export { evolve, replay } from "./core/evolve/evolve.ts";
export { next, type Next } from "./core/next.ts";
export { MAX_REDOS, noRun } from "./core/run.ts";
export type { ActiveRun, EndedRun, PhaseRecord, RunState, Stage, Wait } from "./core/run.ts";
export type { Command, Decision, Outcome, PersonCommand, Refusal, Report, StartCommand } from "./core/command.ts";
export { describe, ProblemError } from "./core/problem.ts";
export type { Problem, ProblemCode } from "./core/problem.ts";
export type { EventDraft, RunEvent } from "./schema/event.ts";
export type { AgentBackend, AgentEnd, AgentEvent, AgentTask, Capabilities } from "./ports/agent-backend.ts";
export { reviewArtifact } from "./core/spec/review-artifact.ts";
export type { ArtifactReview, ArtifactReviewer, ReviewRequest } from "./core/spec/review-artifact.ts";
export { SPEC_PHASES } from "./core/spec/spec-phases.ts";
export { validateTransition } from "./core/spec/transition.ts";
export type { SpecArtifacts, TransitionVerdict } from "./core/spec/transition.ts";
export { updatePhaseState } from "./adapters/project-files/spec-meta-file.ts";
export { checkGate } from "./core/check-gate.ts";
export type { GateRules, GateVerdict } from "./core/check-gate.ts";
export { readSupervisedModeConfig, shouldReviewPhase } from "./core/supervision.ts";
export type { SupervisedModeConfig } from "./core/supervision.ts";
export { resetPhasesForWorkflow } from "./library/review-record.ts";
export { computeSizingRecommendation, parseSizingFromImpactAnalysis } from "./core/sizing.ts";
export type { SizingRecommendation } from "./core/sizing.ts";
export type { SizingDecisionOptions } from "./library/record-sizing.ts";
export { applySizingDecision } from "./library/apply-sizing-decision.ts";
export { extractFallbackSizingMetrics } from "./library/extract-fallback-sizing-metrics.ts";
export type { FallbackSizing } from "./library/extract-fallback-sizing-metrics.ts";
export { recordReviewAction } from "./library/phase-summary/record-review-action.ts";
export {
  ANALYSIS_PHASES,
  deriveAnalysisStatus,
  deriveBacklogMarker,
  IMPLEMENTATION_PHASES,
  validatePhasesCompleted,
} from "./core/items/analysis-status.ts";
export { MARKER_REGEX, parseBacklogLine } from "./core/items/backlog-line.ts";
export { checkBlastRadiusStaleness } from "./core/items/blast-radius.ts";
export { detectSource, generateSlug } from "./core/items/item-source.ts";
export { checkStaleness } from "./core/items/staleness.ts";
export { computeStartPhase } from "./core/items/start-phase.ts";
export { computeRecommendedTier, getTierDescription, TIER_ORDER } from "./core/items/tier.ts";
export {
  appendToBacklog,
  findBacklogItemByNumber,
  searchBacklogTitles,
  updateBacklogMarker,
} from "./adapters/project-files/backlog-file.ts";
export { readMetaJson, writeMetaJson } from "./adapters/project-files/meta-file.ts";
export { findByExternalRef, findDirForDescription, resolveItem } from "./adapters/project-files/resolve-item.ts";

/** Writes the summary of a phase from the contents of state.json; its path, or null when it could not be written. */
export const generatePhaseSummary = createPhaseSummaryGenerator(renderStateSummary);
