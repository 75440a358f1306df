import { join } from "node:path";
import { OWN, OWN_FOLDER, OWN_IGNORE, ownPath } from "../../../core/own-folder.ts";
import { parseRecord, readText } from "../../projections/state-file.ts";
import { ensureFolder, folderExists, nodeFiles, readSmall, replaceFile } from "../../file-system/file-system.ts";

/** Keys of `state.json` about runs. A new working tree has no runs. */
const OF_RUNS = new Set([
  "state_version",
  "active_workflow",
  "phases",
  "current_phase",
  "workflow_history",
  "counters",
  "derived_digest",
]);

const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;

/**
 * Copies the user's settings from one working tree to another. Never overwrites a file or copies data of a run.
 * Unreadable settings are skipped. Returns the written paths.
 * @throws ProblemError UNSAFE_PATH if `.isdlc` of the other tree is a link.
 */
export function inheritSettings(from: string, to: string): readonly string[] {
  const [source, target] = [join(from, OWN_FOLDER), join(to, OWN_FOLDER)];
  if (quietly(() => folderExists(nodeFiles, source)) !== true) return [];
  const wanted: readonly [string, Buffer | null][] = [
    [OWN.ignore, Buffer.from(OWN_IGNORE)],
    [OWN.state, settingsIn(join(source, OWN.state))],
    [OWN.workflows, quietly(() => readSmall(nodeFiles, join(source, OWN.workflows), MAX_SETTINGS_BYTES))],
  ];
  ensureFolder(nodeFiles, target);
  return wanted.flatMap(([name, bytes]) => {
    const file = join(target, name);
    if (bytes === null || nodeFiles.lstatSync(file, { throwIfNoEntry: false }) !== undefined) return [];
    replaceFile(nodeFiles, file, bytes);
    return [ownPath(name)];
  });
}

function settingsIn(file: string): Buffer | null {
  const found = quietly(() => parseRecord(readText(nodeFiles, file, MAX_SETTINGS_BYTES)));
  const settings = Object.entries(found ?? {}).filter(([key]) => !OF_RUNS.has(key));
  if (settings.length === 0) return null;
  return Buffer.from(`${JSON.stringify(Object.fromEntries(settings), null, 2)}\n`);
}

/** Returns null for a link or a pipe instead of the file. */
function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
