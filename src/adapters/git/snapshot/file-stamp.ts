import { statSync } from "node:fs";

/** Returns stat data that changes if any of the files is written, replaced, created or removed. */
export const stampFiles = (files: readonly (string | Buffer)[]): string => files.map(stamp).join("\n");

function stamp(file: string | Buffer): string {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "none" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "none"; // a file instead of a folder, no permission
  }
}
