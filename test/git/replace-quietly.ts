import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";

/** Replaces content by text of equal length and restores the times, like an agent that hides a change. */
export function replaceQuietly(file: string, from: string, to: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  utimesSync(file, atime, mtime);
}
