/** Characters read from a document; a longer text is not an analysis. */
const MAX_TEXT_LENGTH = 1_000_000;
const MAX_FILES = 5_000;
const MAX_PATH_LENGTH = 500;

/** Returns project paths cited in an impact analysis: in table cells, and in backticks of lists and headings. */
export function citedFiles(impactMarkdown: unknown): string[] {
  if (typeof impactMarkdown !== "string") return [];
  const found = new Set<string>();
  for (const line of impactMarkdown.slice(0, MAX_TEXT_LENGTH).split(/\r?\n/)) {
    for (const candidate of findCandidates(line.trim())) {
      const path = asPath(candidate);
      if (path !== null && found.size < MAX_FILES) found.add(path);
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
    .slice(0, MAX_PATH_LENGTH + 20)
    .trim()
    .replace(/^\.\//, "")
    .replace(/:[0-9]{1,7}(?:[:-][0-9]{1,7})?$/, "");
  if (text.length > MAX_PATH_LENGTH || text.startsWith("-") || !SHAPE.test(text)) return null;
  const segments = text.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) return null;
  return segments.length > 1 || /^[^.].*\.[A-Za-z][A-Za-z0-9]{0,9}$|^\.[a-z]{2,}/.test(text) ? text : null;
}
