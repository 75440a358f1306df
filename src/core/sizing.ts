import type { Intensity, Sizing, SizingMetrics } from "../schema/facts.ts";
import type { SizingThresholds } from "../schema/plan.ts";
import { isRecord, ownValue } from "./own-value.ts";

/** Minimum number of phases in a light run; with fewer, none is dropped. */
export const MIN_LIGHT_PHASES = 3;

export const DEFAULT_THRESHOLDS: SizingThresholds = { light_max_files: 5, epic_min_files: 20 };

/** Characters read from a document; a longer text is not an analysis. */
const MAX_ARTIFACT_LENGTH = 1_000_000;

/**
 * Returns metrics of an impact analysis from its last JSON block, else from its bold labels. Null if it has neither.
 */
export function parseSizingFromImpactAnalysis(markdown: unknown): SizingMetrics | null {
  if (typeof markdown !== "string" || markdown.trim() === "") return null;
  const text = markdown.slice(0, MAX_ARTIFACT_LENGTH);
  return fromJsonBlock(text) ?? fromLabels(text);
}

export type SizingRecommendation = {
  readonly intensity: Intensity;
  readonly rationale: string;
  readonly metrics: SizingMetrics | null;
};

/** Recommends light for few files without high risk, epic for many files or high risk, else standard. */
export function computeSizingRecommendation(metrics: unknown, thresholds?: unknown): SizingRecommendation {
  if (!isMetrics(metrics))
    return {
      intensity: "standard",
      rationale: "Unable to parse the metrics of the impact analysis, so nothing is left out.",
      metrics: null,
    };
  const { light_max_files: light, epic_min_files: epic } = sensibleThresholds(thresholds);
  const { file_count: files } = metrics;
  const risk = metrics.risk_score.trim().toLowerCase();
  const told = `${files} ${files === 1 ? "file" : "files"}, ${risk} risk`;
  if (risk === "high" || files >= epic) {
    const why = risk === "high" ? "the risk is high" : `${epic} files or more`;
    return { intensity: "epic", rationale: `${told}: epic, because ${why}.`, metrics };
  }
  if (files <= light) return { intensity: "light", rationale: `${told}: light, up to ${light} files.`, metrics };
  return { intensity: "standard", rationale: `${told}: standard, between ${light} and ${epic} files.`, metrics };
}

/** Returns the recommendation for an analysis, with the document it was read from. */
export function computeSizing(
  found: { metrics: SizingMetrics | null; source: string | null },
  thresholds: SizingThresholds,
): Sizing {
  const { intensity, rationale, metrics } = computeSizingRecommendation(found.metrics, thresholds);
  return { recommended: intensity, rationale, metrics, source: metrics === null ? null : found.source };
}

/**
 * Returns file count and rough risk from a quick scan or a requirements document, if the impact analysis has no
 * metrics.
 */
export function parseFallbackMetrics(markdown: unknown): SizingMetrics | null {
  if (typeof markdown !== "string") return null;
  const text = markdown.slice(0, MAX_ARTIFACT_LENGTH);
  const counted = /affected_file_count["*\s]*[:=]["*\s]*([0-9]{1,6})/i.exec(text);
  const scope = /\bScope\b["*:\s]{1,10}(SMALL|MEDIUM|LARGE)\b/i.exec(text);
  const files = counted === null ? SCOPE_FILES[(scope?.[1] ?? "").toUpperCase()] : Number(counted[1]);
  if (files === undefined) return null;
  return { file_count: files, module_count: 0, risk_score: "medium", coupling: "medium", coverage_gaps: 0 };
}

const SCOPE_FILES: Readonly<Record<string, number>> = { SMALL: 3, MEDIUM: 10, LARGE: 25 };

/** A JSON block with none of these fields contains other data. */
const BLOCK_FIELDS = [
  "files_directly_affected",
  "modules_affected",
  "risk_level",
  "blast_radius",
  "coverage_gaps",
] as const;

function fromJsonBlock(text: string): SizingMetrics | null {
  const blocks = [...text.matchAll(/^```json[^\n]*\n(.*?)^```/gms)];
  const value = parseJson(blocks.at(-1)?.[1] ?? "");
  if (!isRecord(value) || !BLOCK_FIELDS.some((name) => Object.hasOwn(value, name))) return null;
  return {
    file_count: count(ownValue(value, "files_directly_affected")),
    module_count: count(ownValue(value, "modules_affected")),
    risk_score: level(ownValue(value, "risk_level")),
    coupling: level(ownValue(value, "blast_radius")),
    coverage_gaps: count(ownValue(value, "coverage_gaps")),
  };
}

function fromLabels(text: string): SizingMetrics | null {
  const labels = createLabelReader(text);
  const files = labels("Affected Files");
  const risk = labels("Risk Level", "Risk");
  if (files === null || !/^[0-9]/.test(files) || !isLevel(risk)) return null;
  return {
    file_count: count(files),
    module_count: count(labels("Modules Affected", "Module Affected")),
    risk_score: level(risk),
    coupling: level(labels("Blast Radius")),
    coverage_gaps: count(labels("Coverage Gaps", "Coverage Gap")),
  };
}

/** Finds the first word after `**Label**:` or `**Label:**`, ignoring case and emphasis. */
function createLabelReader(text: string): (...names: readonly string[]) => string | null {
  const lower = text.toLowerCase();
  return (...names) => {
    for (const mark of names.flatMap((name) => [`**${name}**`, `**${name}:**`])) {
      const at = lower.indexOf(mark.toLowerCase());
      if (at === -1) continue;
      const start = at + mark.length;
      const end = lower.indexOf("\n", start);
      const value = lower.slice(start, end === -1 ? undefined : end).replace(/^[\s:*_`~]+/, "");
      return /^[a-z0-9]+/.exec(value)?.[0] ?? "";
    }
    return null;
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Counts the entries of a list; reads the leading number of a text. Any other value is 0. */
function count(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  const number = typeof value === "string" ? Number.parseInt(value, 10) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 0 ? Math.floor(number) : 0;
}

const LEVELS: readonly unknown[] = ["low", "medium", "high"];

const isLevel = (value: unknown): value is string => LEVELS.includes(value);

function level(value: unknown): string {
  const word = typeof value === "string" ? value.toLowerCase().trim() : "";
  return isLevel(word) ? word : "medium";
}

function isMetrics(value: unknown): value is SizingMetrics {
  return (
    isRecord(value) &&
    Number.isFinite(ownValue(value, "file_count")) &&
    typeof ownValue(value, "risk_score") === "string"
  );
}

/** Returns the defaults if the thresholds are invalid. */
export function sensibleThresholds(value: unknown): SizingThresholds {
  const light = ownValue(value, "light_max_files");
  const epic = ownValue(value, "epic_min_files");
  const given = {
    light_max_files: light ?? DEFAULT_THRESHOLDS.light_max_files,
    epic_min_files: epic ?? DEFAULT_THRESHOLDS.epic_min_files,
  };
  const { light_max_files: low, epic_min_files: high } = given;
  const sensible =
    Number.isSafeInteger(low) &&
    Number.isSafeInteger(high) &&
    (low as number) >= 0 &&
    (low as number) < (high as number);
  return sensible ? { light_max_files: low as number, epic_min_files: high as number } : DEFAULT_THRESHOLDS; // integers, just checked
}
