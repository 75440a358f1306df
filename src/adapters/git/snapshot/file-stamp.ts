import { statSync } from "node:fs";

/** Another one once any of the files was written, replaced, made or removed. */
export const stampFiles = (files: readonly (string | Buffer)[]): string => files.map(stamp).join("\n");

function stamp(file: string | Buffer): string {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "none" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "none"; // a file in the place of a folder, no permission
  }
}
