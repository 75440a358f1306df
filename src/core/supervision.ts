import type { SettingsReading } from "../schema/facts.ts";
import { isPhaseKey, type PhaseKey, phaseNumber } from "../schema/ids.ts";
import type { Supervision } from "../schema/plan.ts";
import { isRecord, ownValue } from "./own-value.ts";

export type ReviewPhases = "all" | string[];

/** `supervised_mode` with defaults for missing and invalid values. */
export type SupervisedModeConfig = {
  enabled: boolean;
  review_phases: ReviewPhases;
  parallel_summary: boolean;
  /** Reserved: no value has an effect. */
  auto_advance_timeout: null;
};

const TWO_DIGITS = /^[0-9]{2}$/;

/** Reads the block from `state.json`. Invalid values get their defaults; never throws. */
export function readSupervisedModeConfig(state: unknown): SupervisedModeConfig {
  const block = ownValue(state, "supervised_mode");
  return {
    enabled: ownValue(block, "enabled") === true,
    review_phases: readPhases(ownValue(block, "review_phases"), isPhaseNumber),
    parallel_summary: ownValue(block, "parallel_summary") !== false,
    auto_advance_timeout: null,
  };
}

/** Library contract: compares the text before the first hyphen, which limits the list to numbered phases. */
export function shouldReviewPhase(config: unknown, phaseKey: unknown): boolean {
  if (ownValue(config, "enabled") !== true || typeof phaseKey !== "string" || phaseKey === "") return false;
  const phases = ownValue(config, "review_phases");
  if (phases === "all") return true;
  const [head = ""] = phaseKey.split("-", 1);
  return toEntries(phases).includes(head);
}

/** True if a gate follows this phase. Unlike `shouldReviewPhase`, also accepts full phase keys. */
export function isGateDue(supervision: Supervision, phaseKey: PhaseKey): boolean {
  return supervision.enabled && covers(supervision.phases, phaseKey);
}

/** Reads the current block for a run, supervised or not. A missing file is passed as `undefined`. */
export function readSettings(stateJson: unknown): SettingsReading {
  if (stateJson === undefined) return { is: "absent" };
  if (!isRecord(stateJson)) return { is: "unreadable" };
  const block = ownValue(stateJson, "supervised_mode");
  if (block === undefined) return { is: "absent" };
  if (!isRecord(block)) return { is: "unreadable" };
  return {
    is: "set",
    enabled: ownValue(block, "enabled") === true,
    phases: readPhases(ownValue(block, "review_phases"), isPhaseName),
    minimal: ownValue(block, "parallel_summary") === false,
  };
}

/**
 * Limits a reading to a workflow: entries that match none of its phases are ignored, and an empty list then means
 * every phase.
 */
export function readingFor(reading: SettingsReading, workflowPhases: readonly PhaseKey[]): SettingsReading {
  if (reading.is !== "set" || reading.phases === "all") return reading;
  const known = reading.phases.filter((entry) => workflowPhases.some((key) => covers([entry], key)));
  return { ...reading, phases: known.length === 0 ? "all" : known };
}

/** Applies settings at once that add gates; never removes any. Returns the same object if none is added. */
export function tighten(current: Supervision, reading: SettingsReading): Supervision {
  if (reading.is !== "set" || !reading.enabled) return current;
  if (!current.enabled) return { enabled: true, phases: reading.phases };
  if (current.phases === "all") return current;
  if (reading.phases === "all") return { enabled: true, phases: "all" };
  const { phases } = current;
  const added = reading.phases.filter((phase) => !covers(phases, phase));
  return added.length === 0 ? current : { enabled: true, phases: [...phases, ...added] };
}

/** Returns the settings after the user agrees to lose gates; null if none would be lost. */
export function loosening(current: Supervision, reading: SettingsReading): Supervision | null {
  if (!current.enabled) return null;
  if (reading.is !== "set") return { enabled: false, phases: "all" };
  const { enabled, phases } = reading;
  if (!enabled) return { enabled, phases };
  if (phases === "all") return null;
  const lost = current.phases === "all" || current.phases.some((phase) => !covers(phases, phase));
  return lost ? { enabled, phases } : null;
}

/** Lists warnings about a block that may have another effect than intended. */
export function supervisionWarnings(state: unknown): string[] {
  if (state === undefined) return [];
  if (!isRecord(state)) return ["state.json holds no object: supervised mode is off"];
  const block = ownValue(state, "supervised_mode");
  if (block === undefined) return [];
  if (!isRecord(block)) return ["supervised_mode is not an object: supervised mode is off"];
  const warnings: string[] = [];
  const enabled = ownValue(block, "enabled");
  if (enabled !== undefined && typeof enabled !== "boolean") {
    warnings.push("supervised_mode.enabled is neither true nor false: supervised mode is off");
  }
  const summary = ownValue(block, "parallel_summary");
  if (summary !== undefined && typeof summary !== "boolean") {
    warnings.push("supervised_mode.parallel_summary is neither true nor false: full summaries are written");
  }
  return warnings;
}

export type WorkflowPhases = { readonly name: string; readonly phases: readonly PhaseKey[] };

/** Warns about entries that match no phase of this workflow, and names the phases reviewed instead. */
export function reviewPhasesWarnings(state: unknown, workflow: WorkflowPhases): string[] {
  const phases = ownValue(ownValue(state, "supervised_mode"), "review_phases");
  if (phases === undefined || phases === "all") return [];
  const entries = toEntries(phases);
  if (entries.length === 0)
    return ['supervised_mode.review_phases is neither "all" nor a list of phases: every phase is reviewed'];
  const isKnown = (entry: unknown): boolean =>
    isPhaseName(entry) && workflow.phases.some((key) => covers([entry], key));
  const unknown = entries.filter((entry) => !isKnown(entry)).map(entryText);
  if (unknown.length === 0) return [];
  const names = unknown.slice(0, MAX_NAMED_PHASES).join(", ");
  const told = `supervised_mode.review_phases names ${names}, which the workflow "${workflow.name}" does not have`;
  const has = [...new Set(workflow.phases.map(phaseNumber))].join(", ");
  return [
    unknown.length < entries.length
      ? `${told}: only the other phases in the list are reviewed (it has ${has})`
      : `${told}, and no other: every phase is reviewed`,
  ];
}

const MAX_NAMED_PHASES = 20;

function entryText(entry: unknown): string {
  if (typeof entry === "string") return JSON.stringify(entry.slice(0, 40));
  return typeof entry === "number" ? String(entry) : `a ${entry === null ? "null" : typeof entry}`;
}

/** An empty list means every phase, which is the safe choice. */
function readPhases(phases: unknown, isValid: (entry: unknown) => entry is string): ReviewPhases {
  const valid = toEntries(phases).filter(isValid);
  return valid.length === 0 ? "all" : valid;
}

function covers(phases: "all" | readonly string[], phaseKey: PhaseKey): boolean {
  return phases === "all" || phases.includes(phaseKey) || phases.includes(phaseNumber(phaseKey));
}

function toEntries(value: unknown): readonly unknown[] {
  try {
    return Array.isArray(value) ? [...(value as readonly unknown[])] : [];
  } catch {
    return []; // a proxy may throw
  }
}

const isPhaseNumber = (entry: unknown): entry is string => typeof entry === "string" && TWO_DIGITS.test(entry);

/** True for a number or a full key. Digits that are not a phase number ("3") are a mistake, not a key. */
const isPhaseName = (entry: unknown): entry is string =>
  isPhaseNumber(entry) || (typeof entry === "string" && /[a-z]/.test(entry) && isPhaseKey(entry));
