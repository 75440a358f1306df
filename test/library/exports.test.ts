import { expect, test } from "vitest";
import * as library from "../../src/index.ts";

/** Names used by external scripts. */
const PROMISED = [
  "ANALYSIS_PHASES",
  "IMPLEMENTATION_PHASES",
  "MARKER_REGEX",
  "SPEC_PHASES",
  "TIER_ORDER",
  "appendToBacklog",
  "applySizingDecision",
  "checkBlastRadiusStaleness",
  "checkGate",
  "checkStaleness",
  "computeRecommendedTier",
  "computeSizingRecommendation",
  "computeStartPhase",
  "deriveAnalysisStatus",
  "deriveBacklogMarker",
  "detectSource",
  "extractFallbackSizingMetrics",
  "findBacklogItemByNumber",
  "findByExternalRef",
  "findDirForDescription",
  "generatePhaseSummary",
  "generateSlug",
  "getTierDescription",
  "parseBacklogLine",
  "parseSizingFromImpactAnalysis",
  "readMetaJson",
  "readSupervisedModeConfig",
  "recordReviewAction",
  "resetPhasesForWorkflow",
  "resolveItem",
  "reviewArtifact",
  "searchBacklogTitles",
  "shouldReviewPhase",
  "updateBacklogMarker",
  "updatePhaseState",
  "validatePhasesCompleted",
  "validateTransition",
  "writeMetaJson",
];

const CORE = ["MAX_REDOS", "ProblemError", "decide", "describe", "evolve", "next", "noRun", "replay"];

test("exports exactly the promised names and the core", () => {
  expect(Object.keys(library).toSorted()).toEqual([...PROMISED, ...CORE].toSorted());
});
