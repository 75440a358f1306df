import { ownValue } from "../own-value.ts";

/** Phases that analyse an item before the build, in order. */
export const ANALYSIS_PHASES: readonly string[] = [
  "00-quick-scan",
  "01-requirements",
  "02-impact-analysis",
  "03-architecture",
  "04-design",
];

/** Phases that build an analysed item. */
export const IMPLEMENTATION_PHASES: readonly string[] = [
  "05-test-strategy",
  "06-implementation",
  "16-quality-loop",
  "08-code-review",
];

export type AnalysisStatus = "raw" | "partial" | "analyzed";

/** Returns the analysis status for completed phases in any order. A light item needs fewer phases. */
export function deriveAnalysisStatus(list: unknown, sizingDecision?: unknown): AnalysisStatus {
  const done = toTexts(list).filter((key) => ANALYSIS_PHASES.includes(key));
  if (done.length === 0) return "raw";
  return neededPhases(ANALYSIS_PHASES, done, sizingDecision).every((key) => done.includes(key))
    ? "analyzed"
    : "partial";
}

/** Returns the backlog marker for an analysis status. Only a finished build sets `x`. */
export function deriveBacklogMarker(status: unknown): " " | "~" | "A" {
  if (status === "analyzed") return "A";
  return status === "partial" ? "~" : " ";
}

/**
 * Returns completed phases up to the first gap in the sequence. Phases outside the sequence are ignored without a
 * warning.
 */
export function validatePhasesCompleted(
  list: unknown,
  sequence: unknown = ANALYSIS_PHASES,
): { valid: string[]; warnings: string[] } {
  if (!Array.isArray(list)) return { valid: [], warnings: ["phases_completed is not an array"] };
  const order = toTexts(sequence);
  const known = new Set(toTexts(list).filter((key) => order.includes(key)));
  const gap = order.findIndex((key) => !known.has(key));
  const valid = gap === -1 ? order : order.slice(0, gap);
  if (known.size <= valid.length) return { valid, warnings: [] };
  const ignored = order.filter((key) => known.has(key) && !valid.includes(key));
  const warning = `Non-contiguous phases detected: ${order[gap] ?? ""} is missing, so ${ignored.join(", ")} does not count`;
  return { valid, warnings: [warning] };
}

/** Returns required phases. A light item skips some, unless they were done anyway. */
export function neededPhases(
  sequence: readonly string[],
  done: readonly string[],
  sizingDecision: unknown,
): readonly string[] {
  const skipped = lightlySkipped(sizingDecision);
  const needed = sequence.filter((key) => !skipped.includes(key) || done.includes(key));
  const leavesSome = sequence.some((key) => !skipped.includes(key));
  return leavesSome ? needed : sequence; // a list that skips every phase is not a sizing
}

function lightlySkipped(sizingDecision: unknown): string[] {
  const intensity = ownValue(sizingDecision, "effective_intensity") ?? "light";
  return intensity === "light" ? toTexts(ownValue(sizingDecision, "light_skip_phases")) : [];
}

/** Returns the strings of a list as a new array; empty for any other value. */
export function toTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
}
