import { minutesBetween } from "../duration.ts";
import { isRecord, ownValue } from "../own-value.ts";
import { isCount, phaseStateFrom, specMetaFrom, type SpecPhaseState } from "./spec-meta.ts";
import type { SpecPhase } from "./spec-phases.ts";

/** Change of a run to its feature. `at` is the time in the journal: applying the change twice has no further effect. */
export type SpecChange =
  | { readonly is: "phaseStarted"; readonly phase: SpecPhase; readonly at: string }
  | {
      readonly is: "phaseCompleted";
      readonly phase: SpecPhase;
      readonly at: string;
      readonly iterations: number;
      readonly reviewerNotes: readonly string[];
    }
  /** `verified: false` revokes an earlier verification. */
  | { readonly is: "phaseVerified"; readonly phase: SpecPhase; readonly verified: boolean }
  | { readonly is: "completed" | "abandoned"; readonly at: string };

/** Updates of one phase, as passed by scripts. */
export type PhaseUpdates = Partial<{
  readonly started: string;
  readonly completed: string;
  readonly verified: boolean;
  readonly iterations: number;
  readonly reviewerNotes: readonly string[];
}>;

type FileRecord = Readonly<Record<string, unknown>>;

/**
 * Applies a run's change to existing content; other keys and the order of all keys stay. A feature that is neither
 * planned nor active is returned unchanged: `completed` and `abandoned` are final.
 */
export function specMetaAfter(found: FileRecord, change: SpecChange): FileRecord {
  if (!isOpen(found)) return found;
  switch (change.is) {
    case "phaseStarted":
      return started(found, change);
    case "phaseCompleted": {
      const { phase, at: completed, iterations, reviewerNotes } = change;
      return withPhase(found, phase, { ...findPhaseState(found, phase), completed, iterations, reviewerNotes });
    }
    case "phaseVerified":
      return withPhase(found, change.phase, { verified: change.verified });
    case "completed":
    case "abandoned":
      return { ...found, status: change.is, completed: change.at };
    default:
      return change satisfies never;
  }
}

/** Merges updates into the phase. Null if the feature has ended. */
export function withPhaseUpdates(found: FileRecord, phase: SpecPhase, updates: PhaseUpdates): FileRecord | null {
  return isOpen(found) ? withPhase(found, phase, updates) : null;
}

/** Reads untrusted updates key by key. Null if a value is invalid. */
export function phaseUpdatesFrom(value: unknown): PhaseUpdates | null {
  if (!isRecord(value)) return null;
  const given = Object.keys(value).filter((key) => ownValue(value, key) !== undefined);
  const isValid = given.every((key) => VALID.get(key)?.(ownValue(value, key)) === true);
  return isValid ? Object.fromEntries(given.map((key) => [key, ownValue(value, key)])) : null;
}

const isTimestamp = (value: unknown): boolean => minutesBetween(value, value) === 0;
const VALID = new Map<string, (value: unknown) => boolean>([
  ["started", isTimestamp],
  ["completed", isTimestamp],
  ["verified", (value) => typeof value === "boolean"],
  ["iterations", isCount],
  ["reviewerNotes", (value) => Array.isArray(value) && value.every((note) => typeof note === "string")],
]);

/** Starting a phase again resets its results. Repeating the same start does not. */
function started(found: FileRecord, { phase, at }: { phase: SpecPhase; at: string }): FileRecord {
  if (findPhaseState(found, phase).started === at) return found;
  const begun = specMetaFrom(found)?.status === "planned" ? { ...found, status: "active" } : found;
  return withPhase(begun, phase, { started: at, completed: null, verified: false, iterations: 0, reviewerNotes: [] });
}

type PhaseFields = { readonly [Key in keyof SpecPhaseState]?: SpecPhaseState[Key] };

function withPhase(found: FileRecord, phase: SpecPhase, fields: PhaseFields): FileRecord {
  const phases = recordOr(ownValue(found, "phases"));
  const merged = { ...recordOr(ownValue(phases, phase)), ...fields };
  const isCompleted = typeof fields.completed === "string";
  return { ...found, ...(isCompleted && { currentPhase: phase }), phases: { ...phases, [phase]: merged } };
}

/** Includes planned features, which may start. */
const isOpen = (found: FileRecord): boolean => ["planned", "active"].includes(specMetaFrom(found)?.status ?? "unknown");
const findPhaseState = (found: FileRecord, phase: SpecPhase): SpecPhaseState =>
  phaseStateFrom(ownValue(ownValue(found, "phases"), phase));
const recordOr = (value: unknown): FileRecord => (isRecord(value) ? value : {});
