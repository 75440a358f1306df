import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { type EarlierState, parseEarlierState } from "../../core/earlier-state.ts";
import { isRecord, ownValue } from "../../core/own-value.ts";
import type { StateFile } from "../../ports/projections.ts";
import { type FileSystem, readSmall, replaceFile } from "../file-system/file-system.ts";

/** Larger than any sensible settings; a file beyond it is kept aside, not read. */
const MAX_STATE_FILE_BYTES = 4 * 1024 * 1024;

/** `state.json`: read as found, written as rendered. */
export function createStateFile(path: string, files: FileSystem) {
  let written: string | null = null;
  const read = (): unknown => {
    const text = readPlainly(files, path);
    return text === undefined ? undefined : parse(text);
  };
  const settings = `${path}.settings`;
  return {
    /** Undefined when there is no file, null when it cannot be understood. */
    read,
    earlier: (): EarlierState | null => parseEarlierState(read()) ?? keptEarlier(files, path),
    /** A warning when somebody else had changed what is ours in it, or damaged it; their file is kept beside it. */
    write(render: (found: StateFile) => Record<string, unknown>): string | null {
      const text = readText(files, path, MAX_STATE_FILE_BYTES);
      const found = parseRecord(text);
      const warning = text === undefined ? null : keepForeign(files, path, { text, found });
      const isDamaged = text !== undefined && found === null;
      const user = (isDamaged ? parseRecord(readPlainly(files, settings)) : found) ?? {};
      const rendered = render({ user, version: readVersion(found), earlier: keptEarlier(files, path) });
      const next = `${JSON.stringify({ ...rendered, derived_digest: digestContent(rendered) }, null, 2)}\n`;
      if (next !== written || text !== next) replaceFile(files, path, Buffer.from(next));
      written = next;
      keepSettings(files, settings, rendered);
      return warning;
    },
  };
}

type Foreign = { readonly text: string | null; readonly found: Record<string, unknown> | null };

/** What is not as we wrote it is kept beside it before it is replaced; tells what was kept and where. */
function keepForeign(files: FileSystem, path: string, { text, found }: Foreign): string | null {
  if (found !== null && ownValue(found, "derived_digest") === digestContent(found)) return null;
  if (found !== null && parseEarlierState(found) !== null) {
    const aside = keepAside(files, { path, as: EARLIER }, text);
    return `state.json was written by an earlier framework. It is kept as ${aside}; its history and counters are carried on.`;
  }
  if (found !== null && ownValue(found, "derived_digest") === undefined) return null; // settings only
  const aside = keepAside(files, { path, as: "corrupt" }, text);
  return found === null
    ? `state.json was damaged. It is kept as ${aside}; your settings in it are back as they were before.`
    : `state.json was changed by somebody else; their version is kept as ${aside}.`;
}

const EARLIER = "earlier";

/** The newest file of an earlier framework that was kept. */
function keptEarlier(files: FileSystem, path: string): EarlierState | null {
  const kept = listNumbers(files, { path, as: EARLIER }).at(-1);
  return kept === undefined ? null : parseEarlierState(parse(readPlainly(files, `${path}.${EARLIER}-${kept}`) ?? null));
}

/** The person's keys are kept apart as well: a file that is damaged does not take them with it. */
function keepSettings(files: FileSystem, path: string, rendered: Record<string, unknown>): void {
  const own = Object.entries(rendered).filter(
    ([key]) => ![...DERIVED, "state_version", "derived_digest"].includes(key),
  );
  const text = `${JSON.stringify(Object.fromEntries(own))}\n`;
  if (readPlainly(files, path) !== text && (own.length > 0 || readPlainly(files, path) !== undefined))
    replaceFile(files, path, Buffer.from(text));
}

/** Keys that are rendered from the journal, but for the version, which counts writes. */
const DERIVED = ["active_workflow", "phases", "current_phase", "workflow_history", "counters"];

const digestContent = (content: Record<string, unknown>): string =>
  createHash("sha256")
    .update(JSON.stringify(DERIVED.map((key) => ownValue(content, key) ?? null)))
    .digest("hex")
    .slice(0, 16);

/** Settings that cannot be read count as unreadable, whatever stands in their place. */
function readPlainly(files: FileSystem, path: string): string | null | undefined {
  try {
    return readText(files, path, MAX_STATE_FILE_BYTES);
  } catch {
    return null;
  }
}

/** Text of a small file; undefined when there is none, null when it is too large to read. */
export function readText(files: FileSystem, path: string, limit: number): string | null | undefined {
  const exists = files.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (!exists) return undefined;
  return (
    readSmall(files, path, limit)
      ?.toString("utf8")
      .replace(/^\u{FEFF}/u, "") ?? null
  );
}

export function parseRecord(text: string | null | undefined): Record<string, unknown> | null {
  const value = parse(text ?? "");
  return isRecord(value) ? value : null;
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "") as unknown;
  } catch {
    return null;
  }
}

function readVersion(found: Record<string, unknown> | null): number {
  const version = found?.["state_version"];
  return typeof version === "number" && Number.isSafeInteger(version) && version > 0 ? version : 0;
}

type BackupFile = { readonly path: string; readonly as: string };

/** What was not ours to understand is not ours to lose. */
function keepAside(files: FileSystem, { path, as }: BackupFile, text: string | null): string {
  const aside = `${path}.${as}-${(listNumbers(files, { path, as }).at(-1) ?? 0) + 1}`;
  if (text === null) files.renameSync(path, aside);
  else replaceFile(files, aside, Buffer.from(text));
  return basename(aside);
}

/** Numbers of the files that were kept so far, the highest last. */
function listNumbers(files: FileSystem, { path, as }: BackupFile): number[] {
  const prefix = `${basename(path)}.${as}-`;
  const numbers = files
    .readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)));
  return numbers.filter(Number.isSafeInteger).toSorted((one, other) => one - other);
}
