import type { Issue } from "../../schema/agent.ts";
import type { Review } from "../../schema/api-history.ts";
import type { SpecMeta } from "../../core/spec/spec-meta.ts";
import { SPEC_PHASES } from "../../core/spec/spec-phases.ts";
import { markdownText } from "../markdown.ts";
import { plainLine, plainText } from "../plain-text.ts";

/** Content of an entry. Phase, iteration and time together identify the verdict. */
export type HistoryEntry = Pick<Review, "phase" | "iteration" | "at" | "summary" | "changesMade"> & {
  readonly issues: readonly Pick<Issue, "severity" | "description">[];
};

const MAX_HISTORY_LINES = 40;
const MAX_ISSUES = 50;

/**
 * Formats one verdict for `.review-history.md`. Text of agents is escaped: no line of it can imitate a heading or an
 * issue.
 */
export function reviewHistoryEntry({ phase, iteration, at, summary, issues, changesMade }: HistoryEntry): string {
  const listed = issues.slice(0, MAX_ISSUES).map((issue) => `- [${issue.severity}] ${markdownText(issue.description)}`);
  const left = issues.length - listed.length;
  return `## Phase: ${markdownText(phase)}

### Iteration ${iteration} - ${markdownText(at)}

**Reviewer Feedback:**
${foreignText(summary) || "(none)"}

**Issues:**
${[...listed, ...(left > 0 ? [`- … and ${left} more`] : [])].join("\n") || "(none)"}

**Changes Made:**
${foreignText(changesMade ?? "") || "(not recorded)"}

---
`;
}

/** Answers "how did the reviews go?": iterations and open notes of each phase, and the path of the details. */
export function reviewHistorySummary(meta: SpecMeta, path: string | null): string {
  const lines = SPEC_PHASES.flatMap((phase) => {
    const state = Object.hasOwn(meta.phases, phase) ? meta.phases[phase] : undefined;
    if (state === undefined || state.iterations === 0) return [];
    const counted = `${state.iterations} ${state.iterations === 1 ? "iteration" : "iterations"}`;
    return [`${phase}: ${counted}`, ...state.reviewerNotes.map((note) => `  - ${plainLine(note)}`)];
  });
  const details = path === null ? "No details are kept." : `Details: ${plainLine(path)}`;
  return [...(lines.length === 0 ? ["No reviews yet."] : lines), details].join("\n");
}

/** Escapes untrusted lines, including text that would start a Markdown block. */
function foreignText(text: string): string {
  const lines = plainText(text)
    .split("\n")
    .map((line) => markdownText(line).replace(BLOCK_START, String.raw`$1\$2`))
    .filter((line) => line !== "");
  return [...lines.slice(0, MAX_HISTORY_LINES), ...(lines.length > MAX_HISTORY_LINES ? ["…"] : [])].join("\n");
}

/** Start of a heading, list, rule or fence. Other block starts are escaped before. */
const BLOCK_START = /^([0-9]{0,9})([#\-+=~.)])/;
