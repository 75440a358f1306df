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
  /** What git says changed; null when it could not tell. */
  readonly changed: readonly FileChange[] | null;
  readonly minimal: boolean;
};

/** The summary of a phase by what `state.json` says about it, and the name of its file. */
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

/** Summaries are asked for when a phase is complete, so a record that does not say otherwise means that. */
const COMPLETED = "Completed";

function statusText(status: unknown): string {
  if (typeof status !== "string" || status === "") return COMPLETED;
  const words = status.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? (value as unknown[]).filter((entry) => typeof entry === "string") : [];
