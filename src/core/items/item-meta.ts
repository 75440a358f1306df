import { isRecord, ownValue } from "../own-value.ts";
import { ANALYSIS_PHASES, deriveAnalysisStatus } from "./analysis-status.ts";

/** The contents of an item's `meta.json`: the named keys, and every other key somebody put there. */
export type ItemMeta = Readonly<Record<string, unknown>> & {
  readonly analysis_status: string;
  readonly phases_completed: readonly unknown[];
  readonly source: string;
  readonly created_at: string;
};

/** What a person accepted as stale, at which commit. */
export type AcceptedStale = { readonly hash: string; readonly by: string; readonly at: string };

/** The keys the engine owns. Everything else in the file is somebody else's. */
export type MetaFields = {
  readonly phases_completed?: readonly string[];
  readonly analysis_status?: string;
  readonly codebase_hash?: string | null;
  readonly sizing_decision?: Readonly<Record<string, unknown>>;
  readonly build_started_at?: string;
  readonly build_completed_at?: string;
  readonly workflow_type?: string;
  readonly req_id?: string;
  readonly artifact_folder?: string;
  readonly accepted_stale?: readonly AcceptedStale[];
  /** When each phase was completed; those of other phases stay. */
  readonly phase_timestamps?: Readonly<Record<string, string>>;
};

const OWN_KEYS: readonly string[] = [
  "phases_completed",
  "analysis_status",
  "codebase_hash",
  "sizing_decision",
  "build_started_at",
  "build_completed_at",
  "workflow_type",
  "req_id",
  "artifact_folder",
  "accepted_stale",
  "phase_timestamps",
];

/** A parsed file as a meta: the legacy field read as status and list, defaults where something is missing; null for what is no object. */
export function metaFrom(value: unknown, now: string): ItemMeta | null {
  if (!isRecord(value)) return null;
  const found = migrated(value);
  return {
    ...found,
    analysis_status: textOr(ownValue(found, "analysis_status"), "raw"),
    phases_completed: listOr(ownValue(found, "phases_completed")),
    source: textOr(ownValue(found, "source"), "manual"),
    created_at: textOr(ownValue(found, "created_at"), now),
  };
}

/** A meta as it is written: the status follows from the list, the legacy field is gone. */
export function metaToWrite(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found = migrated(meta);
  const list = listOr(ownValue(found, "phases_completed"));
  const analysis_status = deriveAnalysisStatus(list, ownValue(found, "sizing_decision"));
  return { ...found, analysis_status, phases_completed: list };
}

/** What is on disk with the engine's own fields set; other keys and the order of all of them stay. */
export function withFields(found: Readonly<Record<string, unknown>>, fields: MetaFields): Record<string, unknown> {
  const given = OWN_KEYS.flatMap((key): [string, unknown][] => {
    const value = ownValue(fields, key);
    return value === undefined ? [] : [[key, value]];
  });
  const merged = { ...migrated(found), ...Object.fromEntries(given) };
  if (fields.phase_timestamps === undefined) return merged;
  return { ...merged, phase_timestamps: { ...Object.fromEntries(completionTimes(found)), ...fields.phase_timestamps } };
}

/** When each phase was completed, where the file says so: `phase_timestamps`, by phase. */
export function completionTimes(meta: unknown): ReadonlyMap<string, string> {
  const times = ownValue(meta, "phase_timestamps");
  if (!isRecord(times)) return new Map();
  return new Map(
    Object.keys(times).flatMap((key): [string, string][] => {
      const time = ownValue(times, key);
      return typeof time === "string" ? [[key, time]] : [];
    }),
  );
}

/** The new fields take the place of the old one; where both exist, the new ones are right. */
function migrated(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!Object.hasOwn(value, "phase_a_completed")) return { ...value };
  const isDone = ownValue(value, "phase_a_completed") === true;
  const legacy = Object.hasOwn(value, "analysis_status")
    ? {}
    : { analysis_status: isDone ? "analyzed" : "raw", phases_completed: isDone ? [...ANALYSIS_PHASES] : [] };
  const { phase_a_completed: _legacy, ...rest } = value;
  return { ...rest, ...legacy };
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value !== "" ? value : otherwise;

const listOr = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
