import type { PatchFile } from "./patch-files.ts";
import type { ActingFile } from "../core/changes/acting-files.ts";
import { plainLine } from "./plain-text.ts";

const LINK = "120000";
const SUBMODULE = "160000";
const EXECUTABLE = "100755";

/** Lists properties of a change other than its lines: file type, mode, empty files, CRLF line endings. */
export function changeFacts({ modes: { before, after }, change, added, removed, isBinary, text }: PatchFile): string[] {
  const facts = [typeFact(before, after), modeFact(before, after)];
  if (!isBinary && added + removed === 0 && (change === "added" || change === "deleted")) facts.push("Empty file");
  if (hasReturnsOnly(text)) facts.push("All lines end in CRLF");
  return facts.filter((fact) => fact !== "");
}

const NAMES: Readonly<Record<string, string>> = { [LINK]: "symbolic link", [SUBMODULE]: "submodule" };

function typeFact(before: string | null, after: string | null): string {
  const [was, is] = [before, after].map((mode) => (mode === null ? null : (NAMES[mode] ?? "file")));
  if (was !== null && is !== null && was !== is) return `Changed from a ${was} to a ${is}`;
  const name = is ?? was;
  return name === "file" || name === null || name === undefined ? "" : `${name[0]?.toUpperCase()}${name.slice(1)}`;
}

function modeFact(before: string | null, after: string | null): string {
  if (before === null) return after === EXECUTABLE ? "Executable (mode 100755)" : "";
  if (after === null || before === after) return "";
  const change = after === EXECUTABLE ? ", now executable" : before === EXECUTABLE ? ", no longer executable" : "";
  return `Mode ${before} → ${after}${change}`;
}

/** Returns true if every line of the hunks ends in CRLF: the change is then not about line endings. */
export function hasReturnsOnly(text: string): boolean {
  const start = text.indexOf("\n@@ ");
  if (start === -1 || !text.includes("\r\n")) return false;
  const lines = text
    .slice(start)
    .split("\n")
    .filter((line) => /^[-+ ]/.test(line));
  return lines.length > 0 && lines.every((line) => line.endsWith("\r") && !line.slice(0, -1).includes("\r"));
}

/** Formats an acting file: `.envrc: your shell runs it`. */
export const actingLine = ({ path, why }: ActingFile): string => `${path}: ${why}`;

/** Maximum number of displayed entries of one kind. The summary lists all. */
const MAX_SHOWN_FACTS = 10;

/** Formats a title with one short line per entry. Returns an empty list without entries. */
export function entries(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  const left = texts.length - MAX_SHOWN_FACTS;
  const shown = texts.slice(0, MAX_SHOWN_FACTS).map((text) => `  - ${plainLine(text, 200)}`);
  return [`${title}:`, ...shown, ...(left > 0 ? [`  … and ${left} more`] : [])];
}
