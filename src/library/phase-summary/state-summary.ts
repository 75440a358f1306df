import { isRecord, ownValue } from "../../core/own-value.ts";
import { phaseDisplayName } from "../../core/phase-names.ts";
import type { FileChange } from "../../schema/facts.ts";
import type { PhaseKey } from "../../schema/ids.ts";
import {
  measureDuration,
  nothing,
  leadingNumber,
  renderPhaseSummary,
  splitDecisions,
  type SummaryData,
  summaryFileName,
} from "../../views/summary.ts";

export type StateSummaryInput = {
  /** Contents of `state.json`, of any shape. */
  readonly state: unknown;
  readonly phase: PhaseKey;
  /** Changes according to git. Null if git failed. */
  readonly changed: readonly FileChange[] | null;
  readonly minimal: boolean;
};

/** Renders the summary of a phase from the contents of `state.json`. Also returns its file name. */
export function renderStateSummary(input: StateSummaryInput): { readonly name: string; readonly text: string } {
  const keys = texts(ownValue(ownValue(input.state, "active_workflow"), "phases"));
  const text = renderPhaseSummary(summaryData(input), { minimal: input.minimal });
  return { name: summaryFileName(keys, input.phase), text };
}

function summaryData({ state, phase, changed }: StateSummaryInput): SummaryData {
  const known = { ...nothing, status: COMPLETED, number: leadingNumber(phase), name: phaseDisplayName(phase), changed };
  const record = ownValue(ownValue(state, "phases"), phase);
  if (!isRecord(record)) return known;
  const summary = ownValue(record, "summary");
  return {
    ...known,
    status: statusText(ownValue(record, "status")),
    duration: measureDuration(ownValue(record, "started"), ownValue(record, "completed")),
    artifacts: texts(ownValue(record, "artifacts")),
    decisions: typeof summary === "string" ? splitDecisions(summary) : [],
  };
}

/** Default status, because summaries are requested for completed phases. */
const COMPLETED = "Completed";

function statusText(status: unknown): string {
  if (typeof status !== "string" || status === "") return COMPLETED;
  const words = status.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? (value as unknown[]).filter((entry) => typeof entry === "string") : [];
