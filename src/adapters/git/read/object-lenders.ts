import { join } from "node:path";
import { nodeFiles, readSmall } from "../../files/file-system.ts";
import { gitFolders } from "../process/working-trees.ts";
import { digest } from "./repository-programs.ts";
import type { StartedProgram } from "./started-programs.ts";

const MAX_ALTERNATES_BYTES = 1024 * 1024;

/** Returns the file that adds the objects of other folders to this repository; empty if it names no folder. */
export function objectLenders(root: string): readonly StartedProgram[] {
  const folders = gitFolders(root);
  if (folders === null) return [];
  const file = join(folders.common, "objects", "info", "alternates");
  const text = readText(file);
  return text.trim() === "" ? [] : [{ name: ".git/objects/info/alternates", digest: digest(text), file, key: null }];
}

function readText(path: string): string {
  try {
    return readSmall(nodeFiles, path, MAX_ALTERNATES_BYTES)?.toString("utf8") ?? "";
  } catch {
    return "(unreadable)"; // a link, or too large: git may still read it
  }
}
