/** Read at most so much of a document; more is not an analysis. */
const TEXT_LIMIT = 1_000_000;
const MOST_FILES = 5_000;
const LONGEST_PATH = 500;

/** Paths of the project named in an impact analysis: in cells of its tables, and in code marks of its lists. */
export function citedFiles(impactMarkdown: unknown): string[] {
  if (typeof impactMarkdown !== "string") return [];
  const found = new Set<string>();
  for (const line of impactMarkdown.slice(0, TEXT_LIMIT).split(/\r?\n/)) {
    for (const candidate of candidatesOf(line.trim())) {
      const path = asPath(candidate);
      if (path !== null && found.size < MOST_FILES) found.add(path);
    }
  }
  return [...found];
}

function candidatesOf(line: string): string[] {
  if (line.startsWith("|")) return line.split("|").flatMap((cell) => [cell, ...codeMarks(cell)]);
  return /^(?:[-*+]|[0-9]{1,4}[.)]|#{1,6}) /.test(line) ? codeMarks(line) : [];
}

/** What stands between pairs of backticks. */
function codeMarks(text: string): string[] {
  return text.split("`").filter((_part, index) => index % 2 === 1);
}

const SHAPE = /^(?:[\p{L}\p{N}@._-][\p{L}\p{N}\p{M}@._+()[\]-]*\/)*[\p{L}\p{N}@._-][\p{L}\p{N}\p{M}@._+()[\]-]*\/?$/u;

/** A relative path without its line number; null for words, numbers, options, addresses and ways out of the project. */
function asPath(candidate: string): string | null {
  const text = candidate
    .slice(0, LONGEST_PATH + 20)
    .trim()
    .replace(/^\.\//, "")
    .replace(/:[0-9]{1,7}(?:[:-][0-9]{1,7})?$/, "");
  if (text.length > LONGEST_PATH || text.startsWith("-") || !SHAPE.test(text)) return null;
  const segments = text.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) return null;
  return segments.length > 1 || /^[^.].*\.[A-Za-z][A-Za-z0-9]{0,9}$|^\.[a-z]{2,}/.test(text) ? text : null;
}
