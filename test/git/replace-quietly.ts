import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";

/** Other content of the same length, and the time of before: all that an agent can set is as it was. */
export function replaceQuietly(file: string, from: string, to: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  utimesSync(file, atime, mtime);
}
