import { ownValue } from "../own-value.ts";

export type Staleness = {
  readonly stale: boolean;
  /** Hash stored with the item. It is text from a file: only for comparison and display. */
  readonly originalHash: string | null;
  /** Hash passed by the caller. */
  readonly currentHash: string | null;
  /** Filled in by the caller, because counting needs git. */
  readonly commitsBehind: null;
};

/** Length of the shortest abbreviation made by git. */
const SHORTEST_PREFIX = 4;

/**
 * Checks if the code changed since the analysis. An abbreviated hash matches the full one. An item without a stored
 * hash is never stale. An item with a stored hash is always stale if there is no current one, because callers that
 * cannot query git do not call this.
 */
export function checkStaleness(meta: unknown, currentHash: unknown): Staleness {
  const hash = ownValue(meta, "codebase_hash");
  const stored = typeof hash === "string" && hash !== "" ? hash : null;
  const current = typeof currentHash === "string" ? currentHash : null;
  const stale = stored !== null && !isSameCommit(stored, current ?? "");
  return { stale, originalHash: stored, currentHash: current, commitsBehind: null };
}

/** True for two names of one commit; either may be abbreviated. */
export function isSameCommit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const matches = long.toLowerCase().startsWith(short.toLowerCase());
  return matches && (short.length >= SHORTEST_PREFIX || short.length === long.length);
}

/** Characters read from a document; a longer text is not an analysis. */
const MAX_DOCUMENT_LENGTH = 1_000_000;
const MAX_CITED_FILES = 5_000;
const MAX_CITED_PATH_LENGTH = 500;

/** Returns project paths cited in an impact analysis: in table cells, and in backticks of lists and headings. */
export function citedFiles(impactMarkdown: unknown): string[] {
  if (typeof impactMarkdown !== "string") return [];
  const found = new Set<string>();
  for (const line of impactMarkdown.slice(0, MAX_DOCUMENT_LENGTH).split(/\r?\n/)) {
    for (const candidate of findCandidates(line.trim())) {
      const path = asPath(candidate);
      if (path !== null && found.size < MAX_CITED_FILES) found.add(path);
    }
  }
  return [...found];
}

function findCandidates(line: string): string[] {
  if (line.startsWith("|")) return line.split("|").flatMap((cell) => [cell, ...codeMarks(cell)]);
  return /^(?:[-*+]|[0-9]{1,4}[.)]|#{1,6}) /.test(line) ? codeMarks(line) : [];
}

/** Returns the texts between pairs of backticks. */
function codeMarks(text: string): string[] {
  return text.split("`").filter((_part, index) => index % 2 === 1);
}

const SHAPE = /^(?:[\p{L}\p{N}@._-][\p{L}\p{N}\p{M}@._+()[\]-]*\/)*[\p{L}\p{N}@._-][\p{L}\p{N}\p{M}@._+()[\]-]*\/?$/u;

/**
 * Returns a relative path without its line number. Null for words, numbers, options, URLs and paths that leave the
 * project.
 */
function asPath(candidate: string): string | null {
  const text = candidate
    .slice(0, MAX_CITED_PATH_LENGTH + 20)
    .trim()
    .replace(/^\.\//, "")
    .replace(/:[0-9]{1,7}(?:[:-][0-9]{1,7})?$/, "");
  if (text.length > MAX_CITED_PATH_LENGTH || text.startsWith("-") || !SHAPE.test(text)) return null;
  const segments = text.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) return null;
  return segments.length > 1 || /^[^.].*\.[A-Za-z][A-Za-z0-9]{0,9}$|^\.[a-z]{2,}/.test(text) ? text : null;
}
