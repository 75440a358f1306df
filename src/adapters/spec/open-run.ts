import { join, resolve } from "node:path";
import { OWN, OWN_FOLDER } from "../../core/own-folder.ts";
import { ownValue } from "../../core/own-value.ts";
import { nodeFiles } from "../file-system/file-system.ts";
import { readDocument } from "../items/document-file.ts";
import { foldersAbove } from "./feature-folder.ts";

/**
 * Returns true while a run works on the feature. An unreadable marker counts as a run, to refuse rather than to
 * overwrite.
 */
export function hasOpenRun(folder: string): boolean {
  return foldersAbove(folder).some((root) => {
    try {
      const marker = readDocument(join(root, OWN_FOLDER, OWN.active));
      if (marker === null) return false;
      const item = ownValue(JSON.parse(marker.text) as unknown, "item");
      return typeof item !== "string" || isSameFolder(resolve(root, item), folder);
    } catch {
      return true;
    }
  });
}

/** Compares by inode, because case-insensitive file systems have several spellings of a folder. */
function isSameFolder(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map((path) => nodeFiles.lstatSync(path, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}
