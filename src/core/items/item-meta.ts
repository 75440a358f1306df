import { isRecord, ownValue } from "../own-value.ts";
import { ANALYSIS_PHASES, deriveAnalysisStatus } from "./analysis-status.ts";
import { OWN, isOwnPath, ownPath } from "../own-folder.ts";

/** Content of an item's `meta.json`: the named keys, and any others. */
export type ItemMeta = Readonly<Record<string, unknown>> & {
  readonly analysis_status: string;
  readonly phases_completed: readonly unknown[];
  readonly source: string;
  readonly created_at: string;
};

/** A user's acceptance of a stale analysis at a commit. */
export type AcceptedStale = { readonly hash: string; readonly by: string; readonly at: string };

/** Keys owned by the engine. All others in the file belong to someone else. */
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
  /** Completion time of each phase. Times of other phases stay. */
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

/**
 * Reads a parsed file as item meta: converts the legacy field and adds missing defaults. Null for a value other than
 * an object.
 */
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

/** Returns the meta to write: status derived from the completed phases, without the legacy field. */
export function metaToWrite(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found = migrated(meta);
  const list = listOr(ownValue(found, "phases_completed"));
  const analysis_status = deriveAnalysisStatus(list, ownValue(found, "sizing_decision"));
  return { ...found, analysis_status, phases_completed: list };
}

/** Sets the engine's own fields in existing content; other keys and the order of all keys stay. */
export function withFields(found: Readonly<Record<string, unknown>>, fields: MetaFields): Record<string, unknown> {
  const given = OWN_KEYS.flatMap((key): [string, unknown][] => {
    const value = ownValue(fields, key);
    return value === undefined ? [] : [[key, value]];
  });
  const merged = { ...migrated(found), ...Object.fromEntries(given) };
  if (fields.phase_timestamps === undefined) return merged;
  return { ...merged, phase_timestamps: { ...Object.fromEntries(completionTimes(found)), ...fields.phase_timestamps } };
}

/** Returns the recorded completion time of each phase, from `phase_timestamps`. */
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

/** Replaces the legacy field with the new fields. If both exist, the new fields win. */
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

/** Folders that contain one folder per item or feature. */
const ITEM_FOLDERS = ["docs/requirements/", "docs/features/", ownPath(OWN.work, "")];
const BOOK = /^[^/]+\/(?:\.?meta\.json|\.review-history\.md)$/;
const isBook = (path: string): boolean =>
  ITEM_FOLDERS.some((folder) => path.startsWith(folder) && BOOK.test(path.slice(folder.length)));
/** isdlc's own folder, without documents of items in it. */
const isAside = (path: string): boolean => isOwnPath(path) && !path.startsWith(ownPath(OWN.work, ""));

/** True for files with records about an item, which approvers need not read at a gate. */
export const isBookkeeping = (path: string): boolean => path === "BACKLOG.md" || isBook(path) || isAside(path);
