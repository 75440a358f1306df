import { join } from "node:path";
import { isRunId, type RunId } from "../../schema/ids.ts";
import { type FileSystem, folderExists } from "../file-system/file-system.ts";
import { parseRecord, readText } from "./state-file.ts";

export type EndedEntry = {
  readonly run: RunId;
  /** Null when the file is not one of ours: damaged, too large, a link. */
  readonly entry: Record<string, unknown> | null;
};

/** Bytes. Fifty entries go into `state.json`, which is to stay small; a larger one can be told from its journal. */
const ENTRY_LIMIT = 64 * 1024;

/** The newest entries in a history folder, oldest first. No file in it can keep the others from being read. */
export function endedRuns(files: FileSystem, folder: string, most: number): readonly EndedEntry[] {
  return endedRunIds(files, folder)
    .slice(-most)
    .map((run) => endedRun(files, folder, run));
}

/** Runs with an entry in a history folder, oldest first. */
export function endedRunIds(files: FileSystem, folder: string): readonly RunId[] {
  return namesIn(files, folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter(isRunId)
    .toSorted();
}

export const endedRun = (files: FileSystem, folder: string, run: RunId): EndedEntry => ({
  run,
  entry: readEntry(files, join(folder, `${run}.json`)),
});

function namesIn(files: FileSystem, folder: string): readonly string[] {
  try {
    return folderExists(files, folder) ? files.readdirSync(folder) : [];
  } catch {
    return []; // a link or a file in its place holds no history of ours
  }
}

function readEntry(files: FileSystem, path: string): Record<string, unknown> | null {
  try {
    return parseRecord(readText(files, path, ENTRY_LIMIT));
  } catch {
    return null;
  }
}
