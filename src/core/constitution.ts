/** Path of a project's constitution, relative to the working tree. */
export const CONSTITUTION_FILE = "docs/isdlc/constitution.md";

const ARTICLE_LENGTH = 2000; // characters of one article in a reviewer's prompt

/**
 * Returns the named articles in document order, empty if it has none. An article starts at a heading with its Roman
 * number (`## Article III: …`, `### III. …`) and ends at the next article, or at the next heading of the same or a
 * higher level.
 */
export function readArticles(markdown: string, names: readonly string[]): string {
  const wanted = new Set(names.map((name) => name.toUpperCase()));
  return splitSections(markdown)
    .filter(({ article }) => article !== null && wanted.has(article))
    .map(({ lines }) => shortened(lines.join("\n").trim()))
    .join("\n\n");
}

type Section = { readonly article: string | null; readonly level: number; readonly lines: string[] };

const HEADING = /^(#{1,6})\s+(.*)$/;
const ARTICLE = /^(?:(?:Article|ARTICLE|article)\s+([IVX]+)\b|([IVX]+)(?:[.:)]|\s+[—–-]|\s*$))/;
const FENCE = /^\s*(?:```|~~~)/;

function splitSections(markdown: string): Section[] {
  const sections: Section[] = [];
  let fenced = false;
  for (const line of markdown.split(/\r?\n/)) {
    if (FENCE.test(line)) fenced = !fenced;
    const current = sections.at(-1);
    const begun = fenced ? null : sectionBeginning(line);
    if (begun !== null && !isWithin(begun, current)) sections.push(begun);
    else current?.lines.push(line);
  }
  return sections;
}

function sectionBeginning(line: string): Section | null {
  const [, marks = "", title = ""] = HEADING.exec(line) ?? [];
  if (marks === "") return null;
  const [, worded, bare] = ARTICLE.exec(title) ?? [];
  return { article: worded ?? bare ?? null, level: marks.length, lines: [line] };
}

/** A lower heading without an article number belongs to the section above. */
const isWithin = (section: Section, current: Section | undefined): boolean =>
  current !== undefined && section.article === null && section.level > current.level;

const shortened = (text: string): string => (text.length > ARTICLE_LENGTH ? `${text.slice(0, ARTICLE_LENGTH)}…` : text);
