import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes the whole file or none of it, and returns its path. Nothing on the way from the root may be a symbolic link.
 * @throws when a folder or the file cannot be written.
 */
export function writeSummary(root: string, name: string, text: string): string {
  const folder = join(root, ".isdlc", "reviews");
  ownFolder(join(root, ".isdlc"));
  ownFolder(folder);
  const file = join(folder, name);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new Error(`${file} is not a plain file`);
  const draft = join(folder, `.${name}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    writeFileSync(draft, text, { flag: "wx", mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return file;
}

function ownFolder(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) mkdirSync(folder);
  else if (!found.isDirectory()) throw new Error(`${folder} is not a plain folder`);
}
