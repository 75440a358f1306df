import { isRecord, ownValue } from "../own-value.ts";
import { ANALYSIS_PHASES, toTexts, validatePhasesCompleted } from "./analysis-status.ts";
import { metaFrom } from "./item-meta.ts";

type StateEntry = Readonly<Record<string, unknown>>;

/** Earlier work recorded in a `state.json` of the framework that isdlc shares file names with. */
export type EarlierState = {
  /** Ended workflows, newest last. */
  readonly history: readonly StateEntry[];
  /** Next number of each kind, by its name in the file. */
  readonly counters: Readonly<Record<string, number>>;
  readonly open: EarlierWorkflow | null;
};

/** An unfinished workflow of that framework; isdlc does not continue it. */
export type EarlierWorkflow = {
  readonly type: string;
  readonly description: string;
  readonly phase: string | null;
  readonly folder: string | null;
  /** Phase with an open review. */
  readonly reviewing: string | null;
};

/** Reads earlier work. Null for a file of isdlc, and for one with settings only. */
export function parseEarlierState(found: unknown): EarlierState | null {
  if (!isRecord(found) || ownValue(found, "derived_digest") !== undefined) return null;
  const history = toRecords(ownValue(found, "workflow_history"));
  const counters = toCounters(ownValue(found, "counters"));
  const open = parseWorkflow(ownValue(found, "active_workflow"));
  const phases = ownValue(found, "phases");
  const hasPhases = isRecord(phases) && Object.keys(phases).length > 0;
  const isEmpty = history.length === 0 && Object.keys(counters).length === 0 && open === null && !hasPhases;
  return isEmpty ? null : { history, counters, open };
}

const toRecords = (value: unknown): StateEntry[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function toCounters(value: unknown): Record<string, number> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && Number(entry[1]) > 0),
  );
}

function parseWorkflow(value: unknown): EarlierWorkflow | null {
  if (!isRecord(value)) return null;
  const review = ownValue(value, "supervised_review");
  return {
    type: toText(ownValue(value, "type")) ?? "workflow",
    description: toText(ownValue(value, "description")) ?? "",
    phase: toText(ownValue(value, "current_phase")),
    folder: toText(ownValue(value, "artifact_folder")),
    reviewing: isRecord(review) ? (toText(ownValue(review, "phase")) ?? "a phase") : null,
  };
}

const toText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/**
 * Returns completed analysis phases of an item of the earlier framework: from the item's own record, else from the
 * active workflow of its folder.
 */
export function earlierPhases(folder: string, meta: unknown, state: unknown): readonly string[] {
  const own = toTexts(metaFrom(meta, "")?.phases_completed);
  const told = own.length > 0 ? own : workflowPhases(folder, state);
  return validatePhasesCompleted(told, ANALYSIS_PHASES).valid;
}

function workflowPhases(folder: string, state: unknown): string[] {
  const active = ownValue(state, "active_workflow");
  const place = ownValue(active, "artifact_folder");
  if (typeof place !== "string" || place.split("/").at(-1) !== folder) return [];
  return [...completedIn(ownValue(active, "phase_status")), ...completedIn(ownValue(state, "phases"))];
}

/** Reads `{ "01-requirements": "completed" }`, or `{ "01-requirements": { "status": "completed" } }`. */
function completedIn(phases: unknown): string[] {
  if (!isRecord(phases)) return [];
  return Object.keys(phases).filter((key) => {
    const value = ownValue(phases, key);
    return value === "completed" || ownValue(value, "status") === "completed";
  });
}

/** Returns the title of an item: its recorded description, else its folder name in words. */
export function earlierTitle(folder: string, meta: unknown): string {
  const description = ownValue(meta, "description");
  const title = typeof description === "string" ? description.trim() : "";
  return title === "" ? folder.replace(/^[A-Z]+-\d+-/, "").replaceAll(/[-_]+/g, " ") : title;
}
