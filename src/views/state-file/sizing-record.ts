import type { SizingDecision } from "../../core/run.ts";
import type { SizingMetrics } from "../../schema/facts.ts";

/** Builds `active_workflow.sizing`, with the fields expected by other tools. */
export function sizingRecord({ sizing, effective, by, at }: SizingDecision): Record<string, unknown> {
  const { recommended, rationale, source } = sizing;
  const person = typeof by === "object";
  const overridden = person && effective !== (recommended === "light" ? "light" : "standard");
  return {
    intensity: recommended,
    effective_intensity: effective,
    ...(sizing.metrics ?? UNKNOWN),
    recommended_by: by === "flag" ? "user" : "framework",
    overridden,
    overridden_to: overridden ? effective : null,
    decided_at: at,
    forced_by_flag: by === "flag",
    epic_deferred: recommended === "epic",
    reason: rationale,
    user_prompted: person,
    fallback_source: source === "impact-analysis" ? null : source,
    fallback_attempted: source !== "impact-analysis",
  };
}

const UNKNOWN: SizingMetrics = {
  file_count: 0,
  module_count: 0,
  risk_score: "unknown",
  coupling: "unknown",
  coverage_gaps: 0,
};
