import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import type { StateFile } from "../../ports/projections.ts";
import { type FileSystem, readSmall, replaceFile } from "../file-system/file-system.ts";

/** Larger than any sensible settings; a file beyond it is kept aside, not read. */
const SIZE_LIMIT = 4 * 1024 * 1024;

/** `state.json`: read as found, written as rendered. */
export function createStateFile(path: string, files: FileSystem) {
  let written: string | null = null;
  const read = (): unknown => {
    const text = readPlainly(files, path);
    return text === undefined ? undefined : parse(text);
  };
  return {
    /** Undefined when there is no file, null when it cannot be understood. */
    read,
    /** A warning when somebody else had changed what is ours in it; their file is kept beside it. */
    write(render: (found: StateFile) => Record<string, unknown>): string | null {
      const text = readText(files, path, SIZE_LIMIT);
      const found = parseRecord(text);
      const foreign = text !== undefined && (found === null || isForeign(found));
      const aside = foreign ? keepAside(files, path, text) : null;
      const rendered = render({ user: found ?? {}, version: versionOf(found) });
      const next = `${JSON.stringify({ ...rendered, derived_digest: digestOf(rendered) }, null, 2)}\n`;
      if (next !== written || text !== next) replaceFile(files, path, Buffer.from(next));
      written = next;
      return aside === null ? null : `state.json was changed by somebody else; their version is kept as ${aside}.`;
    },
  };
}

/** Keys that are rendered from the journal, but for the version, which counts writes. */
const DERIVED = ["active_workflow", "phases", "current_phase", "workflow_history", "counters"];

const digestOf = (content: Record<string, unknown>): string =>
  createHash("sha256")
    .update(JSON.stringify(DERIVED.map((key) => ownValue(content, key) ?? null)))
    .digest("hex")
    .slice(0, 16);

/** True when our own keys are not as we wrote them. Files that were never ours have no digest. */
function isForeign(found: Record<string, unknown>): boolean {
  const digest = ownValue(found, "derived_digest");
  return digest !== undefined && digest !== digestOf(found);
}

/** Settings that cannot be read count as unreadable, whatever stands in their place. */
function readPlainly(files: FileSystem, path: string): string | null | undefined {
  try {
    return readText(files, path, SIZE_LIMIT);
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

function versionOf(found: Record<string, unknown> | null): number {
  const version = found?.["state_version"];
  return typeof version === "number" && Number.isSafeInteger(version) && version > 0 ? version : 0;
}

/** What was not ours to understand is not ours to lose. */
function keepAside(files: FileSystem, path: string, text: string | null): string {
  const names = new Set(files.readdirSync(dirname(path)));
  let number = 1;
  while (names.has(`${basename(path)}.corrupt-${number}`)) number++;
  const aside = join(dirname(path), `${basename(path)}.corrupt-${number}`);
  if (text === null) files.renameSync(path, aside);
  else replaceFile(files, aside, Buffer.from(text));
  return basename(aside);
}
