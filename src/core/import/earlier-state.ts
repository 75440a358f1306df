import { ANALYSIS_PHASES, toTexts, validatePhasesCompleted } from "../items/analysis-status.ts";
import { metaFrom } from "../items/item-meta.ts";
import { isRecord, ownValue } from "../own-value.ts";

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
