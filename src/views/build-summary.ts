import type { AnalysisStatus } from "../core/items/analysis-status.ts";
import { phaseDisplayName } from "../core/phase-names.ts";
import { phaseNumber } from "../schema/ids.ts";
import { localTime } from "./local-time.ts";
import { plainLine } from "./plain-text.ts";

export type BuildSummary = {
  readonly item: string;
  readonly status: AnalysisStatus;
  readonly completedPhases: readonly string[];
  readonly remainingPhases: readonly string[];
  /** End time of each completed phase, if known. */
  readonly completedAt?: ReadonlyMap<string, string>;
};

export type StaleNotice = {
  readonly originalHash: string;
  readonly currentHash: string;
  /** Number of commits since the analysis. "unknown" omits it from the warning. */
  readonly commits: number | "unknown";
};

const statusWords: Readonly<Record<AnalysisStatus, string>> = {
  raw: "Not analyzed",
  partial: "Partially analyzed",
  analyzed: "Fully analyzed",
};

/** Names that are shorter here than at a gate. */
const shortNames: ReadonlyMap<string, string> = new Map([
  ["04-design", "Design"],
  ["08-code-review", "Code Review"],
]);

const proceedPrompt = "Proceed? [Y/n]";

export const partialMenu = `[R] Resume analysis -- continue with the first missing phase
[S] Skip to implementation -- build on the analysis as it is
[F] Full restart -- analyze everything again`;

export const skipWarning =
  "Warning: the remaining analysis is skipped, so the result may be of lower quality than after a full analysis.";

/** Shown if git cannot determine HEAD. */
export const unknownHeadWarning =
  "Warning: the current commit could not be determined, so it was not checked whether the analysis is out of date.";

export const stalenessMenu = `[P] Proceed anyway -- keep the analysis as it is
[Q] Re-run quick-scan -- look at the code again, keep the rest
[A] Re-analyze -- start the analysis from scratch`;

/** Text to display before a build, with a question if earlier analysis is reused. */
export type BuildNotice = { readonly text: string; readonly question: string | null };

export function buildSummary(summary: BuildSummary): BuildNotice {
  const { item, status, completedPhases, remainingPhases, completedAt } = summary;
  const done = completedPhases.map((key) => `  [done] ${phaseLabel(key)}${formatTime(completedAt?.get(key))}`);
  const pending = status === "analyzed" ? "" : "[pending] ";
  const lines = [
    `BUILD SUMMARY: ${plainLine(item, 120)}`,
    "",
    `Analysis Status: ${statusWords[status]}`,
    ...(done.length === 0 ? [] : ["Completed phases:", ...done]),
    "",
    "Build will execute:",
    ...remainingPhases.map((key) => `  ${pending}${phaseLabel(key)}`),
  ];
  return { text: lines.join("\n"), question: status === "raw" ? null : proceedPrompt };
}

/** Lists completed and missing phases of an interrupted analysis, with the menu. */
export function partialAnalysis(completed: readonly string[], missing: readonly string[]): string {
  return [
    "The analysis of this item is not complete.",
    ...completed.map((key) => `  [done] ${phaseLabel(key)}`),
    ...missing.map((key) => `  [pending] ${phaseLabel(key)}`),
    "",
    partialMenu,
  ].join("\n");
}

/** Reports the commit of the analysis, its distance, and the current HEAD. */
export function stalenessWarning({ originalHash, currentHash, commits }: StaleNotice): string {
  const ago = commits === "unknown" ? "" : ` (${commits} ${commits === 1 ? "commit" : "commits"} ago)`;
  return `Analysis was performed at commit ${shortHash(originalHash)}${ago}.\nCurrent HEAD is ${shortHash(currentHash)}.`;
}

/** Reports few changed files of an analysis as a note, without a question. */
export function stalenessNote(files: readonly string[]): string {
  if (files.length === 0) return "The code changed since the analysis, but nowhere it looked at.";
  return [...changedFilesLines(files, true), "Using the existing analysis."].join("\n");
}

/** Lists changed files. `isCited`: true if the impact analysis names them. */
export function changedFilesLines(files: readonly string[], isCited: boolean): string[] {
  const shown = files.slice(0, MAX_LISTED_FILES).map((path) => `  - ${plainLine(path, 200)}`);
  const left = files.length - shown.length;
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}${isCited ? " of this analysis" : ""}`;
  return [
    `${count} ${files.length === 1 ? "has" : "have"} changed since it was made:`,
    ...shown,
    ...(left > 0 ? [`  … and ${left} more`] : []),
  ];
}

const MAX_LISTED_FILES = 10;

/** Formats `Phase 05: Test Strategy`, or only the name if the phase has no number. */
function phaseLabel(key: string): string {
  const name = plainLine(shortNames.get(key) ?? phaseDisplayName(key), 60);
  const number = phaseNumber(key);
  return number === key ? name : `Phase ${number}: ${name}`;
}

/** Shortens a commit hash. The item's file may contain other text, which is displayed as one plain line. */
function shortHash(hash: string): string {
  return /^[0-9a-f]{7,64}$/i.test(hash) ? hash.slice(0, 7) : plainLine(hash, 40);
}

/** Formats ` (2026-02-19 10:15 UTC)`. Returns an empty string if the text is not a timestamp. */
function formatTime(timestamp = ""): string {
  const time = localTime(timestamp);
  return time === timestamp ? "" : ` (${time})`;
}
