import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { type EarlierState, parseEarlierState } from "../../core/items/earlier-state.ts";
import { isRecord, ownValue } from "../../core/own-value.ts";
import type { StateFile } from "../../ports/projections.ts";
import { type FileSystem, readSmall, replaceFile } from "./file-system.ts";

/** Larger than any sensible settings. A larger file is saved under another name, not read. */
const MAX_STATE_FILE_BYTES = 4 * 1024 * 1024;

/** Creates access to `state.json`. */
export function createStateFile(path: string, files: FileSystem) {
  let written: string | null = null;
  const read = (): unknown => {
    const text = readPlainly(files, path);
    return text === undefined ? undefined : parse(text);
  };
  const settings = `${path}.settings`;
  return {
    /** Undefined if the file is missing, null if it is unreadable. */
    read,
    earlier: (): EarlierState | null => parseEarlierState(read()) ?? keptEarlier(files, path),
    /**
     * Returns a warning if the derived keys were changed elsewhere or the file was damaged. Such a file is saved under
     * another name.
     */
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

/** Saves a foreign or changed file before it is replaced, and returns a warning with its new name. */
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
    : `state.json was changed by another program; that version is kept as ${aside}.`;
}

const EARLIER = "earlier";

/** Reads the newest saved file of an earlier framework. */
function keptEarlier(files: FileSystem, path: string): EarlierState | null {
  const kept = listNumbers(files, { path, as: EARLIER }).at(-1);
  return kept === undefined ? null : parseEarlierState(parse(readPlainly(files, `${path}.${EARLIER}-${kept}`) ?? null));
}

/** Saves the user's keys separately, to restore them if the file is damaged. */
function keepSettings(files: FileSystem, path: string, rendered: Record<string, unknown>): void {
  const own = Object.entries(rendered).filter(
    ([key]) => ![...DERIVED, "state_version", "derived_digest"].includes(key),
  );
  const text = `${JSON.stringify(Object.fromEntries(own))}\n`;
  if (readPlainly(files, path) !== text && (own.length > 0 || readPlainly(files, path) !== undefined))
    replaceFile(files, path, Buffer.from(text));
}

/** Keys rendered from the journal. `state_version` is not among them: it counts writes. */
const DERIVED = ["active_workflow", "phases", "current_phase", "workflow_history", "counters"];

const digestContent = (content: Record<string, unknown>): string =>
  createHash("sha256")
    .update(JSON.stringify(DERIVED.map((key) => ownValue(content, key) ?? null)))
    .digest("hex")
    .slice(0, 16);

/** Reads a file, with null for every error: unreadable settings count as such, for any reason. */
function readPlainly(files: FileSystem, path: string): string | null | undefined {
  try {
    return readText(files, path, MAX_STATE_FILE_BYTES);
  } catch {
    return null;
  }
}

/** Reads a small file. Returns undefined if it is missing, null if it is too large. */
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

/** Saves an unknown file under a new number. */
function keepAside(files: FileSystem, { path, as }: BackupFile, text: string | null): string {
  const aside = `${path}.${as}-${(listNumbers(files, { path, as }).at(-1) ?? 0) + 1}`;
  if (text === null) files.renameSync(path, aside);
  else replaceFile(files, aside, Buffer.from(text));
  return basename(aside);
}

/** Lists the numbers of saved files, highest last. */
function listNumbers(files: FileSystem, { path, as }: BackupFile): number[] {
  const prefix = `${basename(path)}.${as}-`;
  const numbers = files
    .readdirSync(dirname(path))
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)));
  return numbers.filter(Number.isSafeInteger).toSorted((one, other) => one - other);
}
