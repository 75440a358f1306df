import { isRecord } from "../own-value.ts";

/** A file of a git tree. `text` is in latin1, which keeps every byte. */
export type TreeFile = { readonly mode: string; readonly text: string };

export type FileDifference = {
  readonly path: string;
  /** Null if missing. */
  readonly before: TreeFile | null;
  readonly after: TreeFile | null;
};

const OWN_FOLDER = ".isdlc/";
const FEATURES = "docs/features/";
const BACKLOG = "BACKLOG.md";

/** True for the path of a record file, written by isdlc about an item, whatever its content. */
export function isRecordPath(item: string, path: string): boolean {
  return rulesFor(item).some((rule) => rule.path === path);
}

/** True for a record file of an item, if it differs only in parts changed by isdlc. */
export function isRecordChange(item: string, { path, before, after }: FileDifference): boolean {
  const rule = rulesFor(item).find((one) => one.path === path);
  if (rule === undefined || !isRegular(before) || !isRegular(after)) return false;
  if (before !== null && after !== null && before.mode !== after.mode) return false;
  return rule.mayDiffer(before?.text ?? null, after?.text ?? null);
}

const isRegular = (file: TreeFile | null): boolean => file === null || /^100(?:644|755)$/.test(file.mode);

type RecordFileRule = {
  readonly path: string;
  readonly mayDiffer: (before: string | null, after: string | null) => boolean;
};

function rulesFor(item: string): readonly RecordFileRule[] {
  if (item.startsWith(FEATURES))
    return [
      {
        path: `${item}/.meta.json`,
        mayDiffer: (before, after) => isObject(after) && (before === null || isObject(before)),
      },
      { path: `${item}/.review-history.md`, mayDiffer: (before, after) => after?.startsWith(before ?? "") !== false },
    ];
  if (item.startsWith(OWN_FOLDER)) return [];
  return [
    { path: BACKLOG, mayDiffer: differInMarks },
    { path: `${item}/meta.json`, mayDiffer: differInRecord },
  ];
}

const MARK = /^([ \t]*-[ \t]+(?:[0-9]+\.[0-9]+[ \t]+)?\[)[ ~Ax](\].*)$/s;

/** Returns a backlog line without the mark of its item. */
export const withoutMark = (line: string): string => line.replace(MARK, "$1$2");

function differInMarks(before: string | null, after: string | null): boolean {
  if (before === null || after === null) return false;
  const [one, other] = [before, after].map((text) => text.split("\n").map(withoutMark).join("\n"));
  return one === other;
}

const RECORD_FIELDS = new Set([
  "phases_completed",
  "analysis_status",
  "codebase_hash",
  "sizing_decision",
  "build_started_at",
  "build_completed_at",
  "workflow_type",
  "phase_timestamps",
]);

function differInRecord(before: string | null, after: string | null): boolean {
  const value = parsed(after);
  if (!isRecord(value)) return false;
  if (before === null) return true;
  const old = parsed(before);
  return isRecord(old) && JSON.stringify(withoutRecord(old)) === JSON.stringify(withoutRecord(value));
}

const withoutRecord = (value: Readonly<Record<string, unknown>>) =>
  Object.entries(value).filter(([key]) => !RECORD_FIELDS.has(key));

const isObject = (text: string | null): boolean => isRecord(parsed(text));

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
}

/** True if a resolution of a backlog conflict contains only lines of the two sides, apart from marks. */
export function isBacklogResolution(resolved: string, sides: readonly string[]): boolean {
  const known = new Set(sides.flatMap((text) => text.split("\n").map(withoutMark)));
  return resolved.split("\n").every((line) => known.has(withoutMark(line)));
}
