import { plainLine } from "./plain-text.ts";

/** Maximum number of displayed entries of one kind. The summary lists all. */
const MAX_SHOWN = 10;

/** Formats a title with one short line per entry. Returns an empty list without entries. */
export function entries(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  const left = texts.length - MAX_SHOWN;
  const shown = texts.slice(0, MAX_SHOWN).map((text) => `  - ${plainLine(text, 200)}`);
  return [`${title}:`, ...shown, ...(left > 0 ? [`  … and ${left} more`] : [])];
}
