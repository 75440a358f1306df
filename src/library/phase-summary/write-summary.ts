import { join } from "node:path";
import { ensureFolder, nodeFiles, replaceFile } from "../../adapters/file-system/file-system.ts";
import { OWN, OWN_FOLDER } from "../../core/own-folder.ts";

/**
 * Writes the complete file or nothing, and returns its path. Symbolic links between the root and the file are
 * rejected.
 * @throws if a folder or the file cannot be written.
 */
export function writeSummary(root: string, name: string, text: string): string {
  const folder = join(root, OWN_FOLDER, OWN.reviews);
  ensureFolder(nodeFiles, join(root, OWN_FOLDER));
  ensureFolder(nodeFiles, folder);
  const file = join(folder, name);
  const found = nodeFiles.lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw new Error(`${file} is not a plain file`);
  replaceFile(nodeFiles, file, Buffer.from(text));
  return file;
}
