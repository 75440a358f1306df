import { join } from "node:path";
import { OWN, OWN_FOLDER, OWN_IGNORE, ownPath } from "../../../core/own-folder.ts";
import { parseRecord, readText } from "../../projections/state-file.ts";
import { ensureFolder, folderExists, nodeFiles, readSmall, replaceFile } from "../../file-system/file-system.ts";

/** Keys of `state.json` that tell of runs. A new tree has had none. */
const OF_RUNS = new Set([
  "state_version",
  "active_workflow",
  "phases",
  "current_phase",
  "workflow_history",
  "counters",
  "derived_digest",
]);

const MAX_SETTINGS_BYTES = 4 * 1024 * 1024; // bytes

/**
 * Brings the person's settings from one working tree to another, never over a file that is there, and never anything
 * of a run. Returns what it wrote. Settings that cannot be read are not passed on.
 * @throws ProblemError UNSAFE_PATH where the other tree has a link for its `.isdlc`.
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

/** Null for a link or a pipe in place of the file. */
function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
