import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { OWN, OWN_FOLDER } from "../../../core/own-folder.ts";
import { nodeFiles } from "../../file-system/file-system.ts";
import { readHolder } from "../../file-lock/file-lock.ts";
import { journalsIn } from "../../journal-file/journals-in.ts";
import { systemLockProcesses } from "../../file-lock/lock-files.ts";

/**
 * Lists open runs of a working tree and open analyses of its items. In doubt, a run counts as open: a damaged journal,
 * a running driver, a marker without a journal. Seals are not checked here but by readers.
 */
export async function openRunsIn(tree: string): Promise<readonly string[]> {
  const own = join(tree, OWN_FOLDER);
  if ((await lstat(own).catch(() => null))?.isDirectory() !== true) return [];
  const items = await namesIn(join(own, OWN.items));
  const places = [own, ...items.map((item) => join(own, OWN.items, item))];
  return [...new Set((await Promise.all(places.map(openIn))).flat())].toSorted();
}

async function openIn(own: string): Promise<string[]> {
  const journals = journalsIn(join(own, OWN.journal));
  const open = journals.filter(({ isEnded }) => !isEnded).map(({ name }) => name);
  if (open.length > 0) return open;
  const isMarked = journals.length === 0 && !(await isMissing(join(own, OWN.active)));
  return isMarked || isDriven(own) ? [basename(own)] : [];
}

function isDriven(directory: string): boolean {
  const processes = systemLockProcesses();
  try {
    return readHolder({ directory, name: OWN.driver, files: nodeFiles, processes }) !== null;
  } catch {
    return true; // a link or a folder instead of the lock
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true ? readdir(folder) : [];
}

const isMissing = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) === null;
