import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CONSTITUTION_FILE } from "../../core/constitution.ts";
import { packageRoot } from "./package-root.ts";
import {
  ensureFolder,
  type FileSystem,
  folderExists,
  OPEN,
  readSmall,
  succeeds,
  writeAll,
} from "../files/file-system.ts";

const MAX_CONSTITUTION_BYTES = 256 * 1024; // bytes
const READABLE = 0o644;

/** Lists the parent folders of the file, outermost first. */
function foldersTo(root: string): string[] {
  const parts = dirname(CONSTITUTION_FILE).split("/");
  return parts.map((_part, index) => join(root, ...parts.slice(0, index + 1)));
}

/** Returns the project's constitution. Null if it is missing or too large. Links are refused. */
export function readConstitution(root: string, files: FileSystem): string | null {
  if (!foldersTo(root).every((folder) => folderExists(files, folder))) return null;
  return readSmall(files, join(root, CONSTITUTION_FILE), MAX_CONSTITUTION_BYTES)?.toString("utf8") ?? null;
}

/** Writes the starter constitution. Returns false if the path already exists; it stays unchanged. */
export function writeConstitution(root: string, files: FileSystem): boolean {
  for (const folder of foldersTo(root)) ensureFolder(files, folder);
  const bytes = readFileSync(join(packageRoot(), "templates", "constitution.md"));
  const state = { fd: -1 };
  const file = join(root, CONSTITUTION_FILE);
  const created = succeeds(() => (state.fd = files.openSync(file, OPEN.createNew, READABLE)), ["EEXIST", "ELOOP"]);
  if (!created) return false;
  try {
    writeAll(files, state.fd, { bytes, position: null });
    return true;
  } finally {
    files.closeSync(state.fd);
  }
}
