import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { nodeFiles } from "../../file-system/file-system.ts";
import { readHolder } from "../../file-lock/file-lock.ts";
import { hasEnded } from "../../journal-file/has-ended.ts";
import { systemLockProcesses } from "../../file-lock/lock-processes.ts";

const ENDING = ".jsonl";
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
