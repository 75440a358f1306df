import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { isRecord, ownValue } from "../../../core/own-value.ts";
import { isRunId } from "../../../schema/ids.ts";
import { nodeFiles, OPEN, openPlain, readRange } from "../../file-system/file-system.ts";
import { readHolder } from "../../file-lock/file-lock.ts";
import { systemLockProcesses } from "../../file-lock/lock-processes.ts";

const ENDINGS: readonly unknown[] = ["run.finished", "run.cancelled"];
const ENDING = ".jsonl";
/** Bytes. The record that ends a run is a few hundred; a longer last line ends none. */
const TAIL = 1024 * 1024;

/**
 * Runs of a working tree, and analyses of its items, that have not ended. Whatever leaves it in doubt counts as open:
 * a damaged journal, a driver that is alive, a marker without a journal. Seals are not checked; that is for readers.
 */
export async function openRunsIn(tree: string): Promise<readonly string[]> {
  const own = join(tree, ".isdlc");
  if ((await lstat(own).catch(() => null))?.isDirectory() !== true) return [];
  const items = await namesIn(join(own, "items"));
  const places = [own, ...items.map((item) => join(own, "items", item))];
  return [...new Set((await Promise.all(places.map(openIn))).flat())].toSorted();
}

async function openIn(own: string): Promise<string[]> {
  const journals = (await namesIn(join(own, "journal"))).filter((name) => name.endsWith(ENDING));
  const open = journals
    .filter((name) => !hasEnded(join(own, "journal", name)))
    .map((name) => name.slice(0, -ENDING.length));
  if (open.length > 0) return open;
  const isMarked = journals.length === 0 && !(await isMissing(join(own, "active")));
  return isMarked || isDriven(own) ? [basename(own)] : [];
}

/** By its last whole record. One without a record was never begun; one that is not ours to name is in doubt. */
function hasEnded(file: string): boolean {
  if (!isRunId(basename(file, ENDING))) return false;
  try {
    const bytes = tailOf(file);
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

function tailOf(file: string): Buffer {
  const fd = openPlain(nodeFiles, file, OPEN.read);
  if (fd === null) return Buffer.alloc(0);
  try {
    const { size } = nodeFiles.fstatSync(fd);
    return readRange(nodeFiles, fd, { from: Math.max(0, size - TAIL), to: size });
  } finally {
    nodeFiles.closeSync(fd);
  }
}

function isDriven(directory: string): boolean {
  const processes = systemLockProcesses();
  try {
    return readHolder({ directory, name: "driver", files: nodeFiles, processes }) !== null;
  } catch {
    return true; // a link or a folder in place of the lock
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true ? readdir(folder) : [];
}

const isMissing = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) === null;
