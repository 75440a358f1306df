import { join } from "node:path";
import { ensureFolder, nodeFiles } from "../../file-system/file-system.ts";
import type { Repository } from "../read/repository.ts";
import { makeTemporaryFolder, removeAtExit } from "../../file-system/temporary-folder.ts";

/**
 * A folder for an index of our own that lasts as long as this program. It lies beside git's own files, where an agent
 * in a sandbox cannot write.
 */
export async function makeIndexFolder({ gitDir }: Repository): Promise<string> {
  const place = join(gitDir, "isdlc");
  ensureFolder(nodeFiles, place); // never through a link
  return removeAtExit(await makeTemporaryFolder(place));
}
