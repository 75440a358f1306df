import { mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { ensureFolder, nodeFiles } from "../../file-system/file-system.ts";
import { numberInUse } from "../../file-lock/lock-processes.ts";
import type { Repository } from "../read/repository.ts";
import { removeAtExit, removeFolder } from "../process/temporary-folder.ts";

/**
 * A folder for an index of our own that lasts as long as this program. It lies beside git's own files, where an agent
 * in a sandbox cannot write. Those of programs that were killed are cleared away.
 */
export async function makeIndexFolder({ gitDir }: Repository): Promise<string> {
  const place = join(gitDir, "isdlc");
  ensureFolder(nodeFiles, place); // never through a link
  for (const name of await readdir(place)) if (isLeft(name)) await removeFolder(join(place, name));
  return removeAtExit(await mkdtemp(join(place, `${process.pid}-`)));
}

function isLeft(name: string): boolean {
  const pid = /^([1-9][0-9]*)-/.exec(name)?.[1];
  return pid !== undefined && !numberInUse(Number(pid));
}
