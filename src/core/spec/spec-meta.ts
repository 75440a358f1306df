import type { Mode } from "../../schema/plan.ts";
import { isRecord, ownValue } from "../own-value.ts";
import { isSpecPhase, type SpecPhase } from "./spec-phases.ts";
import { generateSlug } from "../items/item-source.ts";
import { wordSlug } from "../plan.ts";

export type SpecStatus = "planned" | "active" | "completed" | "abandoned";

export type SpecPhaseState = {
  readonly started: string | null;
  readonly completed: string | null;
  readonly verified: boolean;
  readonly iterations: number;
  readonly reviewerNotes: readonly string[];
};

/** Content of a feature's `.meta.json`: the named keys, and any others. */
export type SpecMeta = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  /** `unknown`: a status of another version. Such a feature is left unchanged. */
  readonly status: SpecStatus | "unknown";
  readonly created: string | null;
  readonly completed: string | null;
  /** Relative to the root of the working tree. */
  readonly worktree: string | null;
  /** Last completed phase. */
  readonly currentPhase: SpecPhase | null;
  readonly phases: Readonly<Record<string, SpecPhaseState>>;
};

export type NewFeature = {
  readonly id: string;
  readonly name: string;
  readonly mode: Mode;
  readonly created: string;
  readonly worktree: string | null;
};

const STATUSES: readonly unknown[] = ["planned", "active", "completed", "abandoned"];
const MODES: readonly unknown[] = ["hotfix", "quick", "standard", "full"];

/** Returns the content to write for a new feature. */
export function createFeatureMeta({ id, name, mode, created, worktree }: NewFeature): SpecMeta {
  return { id, name, mode, status: "active", created, completed: null, worktree, currentPhase: null, phases: {} };
}

/** Reads a parsed file as feature meta, with defaults for missing values. Null for any other value. */
export function specMetaFrom(value: unknown): SpecMeta | null {
  if (!isRecord(value)) return null;
  const phases = ownValue(value, "phases") ?? {};
  if (!isRecord(phases)) return null;
  const [mode, phase] = [ownValue(value, "mode"), ownValue(value, "currentPhase")];
  return {
    ...value,
    id: toWord(ownValue(value, "id")),
    name: toWord(ownValue(value, "name")),
    mode: isMode(mode) ? mode : "standard",
    status: parseStatus(ownValue(value, "status")),
    created: toText(ownValue(value, "created")),
    completed: toText(ownValue(value, "completed")),
    worktree: toText(ownValue(value, "worktree")),
    currentPhase: isSpecPhase(phase) ? phase : null,
    phases: Object.fromEntries(Object.keys(phases).map((key) => [key, phaseStateFrom(ownValue(phases, key))])),
  };
}

/** True if the phase started but did not end: the user then decides how to continue. */
export function isPartialPhase(meta: SpecMeta, phase: SpecPhase): boolean {
  const { started, completed } = phaseStateFrom(ownValue(meta.phases, phase));
  return started !== null && completed === null;
}

export function phaseStateFrom(value: unknown): SpecPhaseState {
  const [iterations, notes] = [ownValue(value, "iterations"), ownValue(value, "reviewerNotes")];
  return {
    started: toText(ownValue(value, "started")),
    completed: toText(ownValue(value, "completed")),
    verified: ownValue(value, "verified") === true,
    iterations: isCount(iterations) ? iterations : 0,
    reviewerNotes: Array.isArray(notes) ? notes.filter((note): note is string => typeof note === "string") : [],
  };
}

export const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Files of the first version have no status. */
function parseStatus(value: unknown): SpecMeta["status"] {
  if (value === undefined || value === null) return "active";
  return STATUSES.includes(value) ? (value as SpecStatus) : "unknown"; // checked one line above
}

const isMode = (value: unknown): value is Mode => MODES.includes(value);
const toText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const toWord = (value: unknown): string => (typeof value === "number" ? String(value) : (toText(value) ?? ""));

const SLUG_LENGTH = 30;
const ID_DIGITS = 3;

/** Formats a feature's id: `001`. */
export const featureId = (number: number): string => String(number).padStart(ID_DIGITS, "0");

/** Converts a title to the second part of a feature's folder name: a slug of at most 30 characters. */
export function featureSlug(title: unknown): string {
  return wordSlug(generateSlug(title), SLUG_LENGTH);
}

/** Returns 12 for `012-login`, and 0 for a folder without a number. */
export function featureNumber(folder: string): number {
  return Number(/^([0-9]{1,6})(?:-|$)/.exec(folder)?.[1] ?? 0);
}
