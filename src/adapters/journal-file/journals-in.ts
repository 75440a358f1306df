import { basename, join } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import { isRunId } from "../../schema/ids.ts";
import { nodeFiles, OPEN, openPlain, readRange } from "../file-system/file-system.ts";

const ENDINGS: readonly unknown[] = ["run.finished", "run.cancelled"];
const ENDING = ".jsonl";
/** Bytes. The record that ends a run has a few hundred; a longer last line is not one. */
const TAIL = 1024 * 1024;

type SeenJournal = { readonly name: string; readonly isEnded: boolean };

/** Lists the journals directly in a folder, by the name of their run. Empty if it is not a folder. */
export function journalsIn(directory: string): readonly SeenJournal[] {
  if (nodeFiles.lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return nodeFiles
    .readdirSync(directory)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => ({ name: basename(file, ENDING), isEnded: hasEnded(join(directory, file)) }));
}

/**
 * True if the last complete record of the journal ends the run; seals are not checked here. An empty journal, of a run
 * that never started, counts as ended. A file not named after a run is in doubt and counts as open.
 */
function hasEnded(file: string): boolean {
  if (!isRunId(basename(file, ENDING))) return false;
  try {
    const bytes = readTail(file);
    const end = bytes.lastIndexOf(0x0a);
    if (end === -1) return bytes.length === 0;
    const start = bytes.lastIndexOf(0x0a, end - 1) + 1;
    const events = ownValue(JSON.parse(bytes.toString("utf8", start, end)), "events");
    const last: unknown = Array.isArray(events) ? events.at(-1) : null;
    return isRecord(last) && ENDINGS.includes(ownValue(last, "type"));
  } catch {
    return false;
  }
}

function readTail(file: string): Buffer {
  const fd = openPlain(nodeFiles, file, OPEN.read);
  if (fd === null) return Buffer.alloc(0);
  try {
    const { size } = nodeFiles.fstatSync(fd);
    return readRange(nodeFiles, fd, { from: Math.max(0, size - TAIL), to: size });
  } finally {
    nodeFiles.closeSync(fd);
  }
}
