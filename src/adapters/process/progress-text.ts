import { relative } from "node:path";

const LONGEST = 200;

/** One line without control characters; nothing for an empty text. */
export function shorten(text: string): string[] {
  const line = text
    .slice(0, 4 * LONGEST)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  if (line === "") return [];
  return [line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line];
}

/** Paths below the working directory are shown relative to it. */
export function inside(text: string, cwd: string): string {
  return text.startsWith(`${cwd}/`) ? relative(cwd, text) : text;
}
