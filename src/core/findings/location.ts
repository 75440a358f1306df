/** Place of a finding, as far as its location names one. Lines move between verdicts, files rarely do. */
export type Location = { readonly file: string | null; readonly line: number | null };

const EXTENSIONS = new Set(
  (
    "c cc cjs cpp cs css csv cts dart go gradle h hpp html ini java js json jsonl jsx kt less lock lua md mdx mjs " +
    "mts php pl proto ps1 py rb rs sass scala scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml"
  ).split(" "),
);
const LOCATION_LENGTH = 500;

/**
 * Parses `src/a.ts:42`, `./src/a.ts#L42-L50`, `` `a.ts` (line 42)`` and `design.md, section 3`. A section alone is not
 * a file.
 */
export function parseLocation(location: string | null): Location {
  const text = (location ?? "").slice(0, LOCATION_LENGTH).replaceAll("\\", "/");
  const parts = text.split(/[\s,;`'"<>()]+/).filter((part) => part !== "");
  const found = parts.map(withoutLine).find(({ name, line }) => isFileName(name) || (line !== null && name !== ""));
  const said = /\b(?:lines?\s*|l)(\d{1,7})\b/i.exec(text)?.[1];
  const line = found?.line ?? (said === undefined ? null : Number(said));
  return { file: found === undefined ? null : normalised(found.name), line };
}

/** True for equal paths, and for a short form (`a.ts`) of a longer path (`src/a.ts`). */
export const isSameFile = (one: string, other: string): boolean =>
  one === other || one.endsWith(`/${other}`) || other.endsWith(`/${one}`);

export const isFileName = (name: string): boolean => {
  const dot = name.lastIndexOf(".");
  return dot !== -1 && EXTENSIONS.has(name.slice(dot + 1).toLowerCase());
};

/** Normalizes a path to compare files of `Iteration.changed` with locations. */
export const normalised = (path: string): string =>
  path
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/)+/, "")
    .replaceAll(/\/{2,}/g, "/");

/** Splits `a.ts:42:7`, `a.ts:42-50` and `a.ts#L42` into name and first line. */
export function withoutLine(part: string): { readonly name: string; readonly line: number | null } {
  const found = /^([^:#]*)(?::|#L?)(\d{1,7})(?:[-:,L\d]*)[.:]?$/i.exec(part);
  if (found?.[1] === undefined) return { name: part.replace(/[.:]+$/, ""), line: null };
  return { name: found[1], line: Number(found[2]) };
}
