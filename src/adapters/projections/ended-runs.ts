import { join } from "node:path";
import { isRunId, type RunId } from "../../schema/ids.ts";
import { type FileSystem, folderExists } from "../file-system/file-system.ts";
import { parseRecord, readText } from "./state-file.ts";

/** Bytes. Fifty entries go into `state.json`, which is to stay small; a larger one can be told from its journal. */
const ENTRY_LIMIT = 64 * 1024;

/** Runs with an entry in a history folder, oldest first. */
export function endedRuns(files: FileSystem, folder: string): readonly RunId[] {
  return namesIn(files, folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter(isRunId)
    .toSorted();
}

/** Null when the file is not one of ours: damaged, too large, a link. None of these keeps the others from being read. */
export function endedEntry(files: FileSystem, folder: string, run: RunId): Record<string, unknown> | null {
  try {
    return parseRecord(readText(files, join(folder, `${run}.json`), ENTRY_LIMIT));
  } catch {
    return null;
  }
}

function namesIn(files: FileSystem, folder: string): readonly string[] {
  try {
    return folderExists(files, folder) ? files.readdirSync(folder) : [];
  } catch {
    return []; // a link or a file in its place holds no history of ours
  }
}
