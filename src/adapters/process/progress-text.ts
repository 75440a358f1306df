import { relative } from "node:path";

const MAX_PROGRESS_LENGTH = 200;

/** Returns one line without control characters, or nothing for an empty text. */
export function shorten(text: string): string[] {
  const line = text
    .slice(0, 4 * MAX_PROGRESS_LENGTH)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  if (line === "") return [];
  return [line.length > MAX_PROGRESS_LENGTH ? `${line.slice(0, MAX_PROGRESS_LENGTH - 1)}…` : line];
}

/** Shortens paths under the working directory to relative ones. */
export function inside(text: string, cwd: string): string {
  return text.startsWith(`${cwd}/`) ? relative(cwd, text) : text;
}
