import { ownValue } from "../own-value.ts";

/** Phases that study an item before anything is built, in their order. */
export const ANALYSIS_PHASES: readonly string[] = [
  "00-quick-scan",
  "01-requirements",
  "02-impact-analysis",
  "03-architecture",
  "04-design",
];

/** Phases that build what was analysed. */
export const IMPLEMENTATION_PHASES: readonly string[] = [
  "05-test-strategy",
  "06-implementation",
  "16-quality-loop",
  "08-code-review",
];

export type AnalysisStatus = "raw" | "partial" | "analyzed";

/** How far the analysis came, by the phases listed in any order. A light item needs fewer of them. */
export function deriveAnalysisStatus(list: unknown, sizingDecision?: unknown): AnalysisStatus {
  const done = toTexts(list).filter((key) => ANALYSIS_PHASES.includes(key));
  if (done.length === 0) return "raw";
  return neededPhases(ANALYSIS_PHASES, done, sizingDecision).every((key) => done.includes(key))
    ? "analyzed"
    : "partial";
}

/** Marker of an item's analysis in the backlog; `x` is set by a finished build alone. */
export function deriveBacklogMarker(status: unknown): " " | "~" | "A" {
  if (status === "analyzed") return "A";
  return status === "partial" ? "~" : " ";
}

/** The phases that count as done: those of the sequence without a gap. What the sequence does not know is left out silently. */
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

/** The phases an item cannot do without: a light one leaves some out, unless they were done all the same. */
export function neededPhases(
  sequence: readonly string[],
  done: readonly string[],
  sizingDecision: unknown,
): readonly string[] {
  const skipped = lightlySkipped(sizingDecision);
  const needed = sequence.filter((key) => !skipped.includes(key) || done.includes(key));
  const leavesSome = sequence.some((key) => !skipped.includes(key));
  return leavesSome ? needed : sequence; // a list that leaves nothing to do is no sizing
}

function lightlySkipped(sizingDecision: unknown): string[] {
  const intensity = ownValue(sizingDecision, "effective_intensity") ?? "light";
  return intensity === "light" ? toTexts(ownValue(sizingDecision, "light_skip_phases")) : [];
}

/** The texts of a list, as its own copy; nothing for what is no list. */
export function toTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
}
