import { plainLine } from "./plain-text.ts";

/** Entries of one kind on a screen; the summary has them all. */
const MAX_SHOWN = 10;

/** A title with its entries, one short line each; nothing where there are none. */
export function entries(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  const left = texts.length - MAX_SHOWN;
  const shown = texts.slice(0, MAX_SHOWN).map((text) => `  - ${plainLine(text, 200)}`);
  return [`${title}:`, ...shown, ...(left > 0 ? [`  … and ${left} more`] : [])];
}
