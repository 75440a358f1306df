import { join } from "node:path";
import { ensureFolder, errorCode, nodeFiles } from "../../file-system/file-system.ts";
import type { Repository } from "../read/repository.ts";
import { makeTemporaryFolder, removeAtExit } from "../../file-system/temporary-folder.ts";

/**
 * Creates a folder for an index of isdlc, which lasts as long as this program. It is next to git's own files, where an
 * agent in a sandbox cannot write.
 */
export async function makeIndexFolder({ gitDir }: Repository): Promise<string> {
  const place = join(gitDir, "isdlc");
  try {
    ensureFolder(nodeFiles, place); // never through a link
    return removeAtExit(await makeTemporaryFolder(place));
  } catch (error) {
    if (errorCode(error) !== "EROFS") throw error;
    return removeAtExit(await makeTemporaryFolder()); // in a read-only sandbox, only scans are possible
  }
}
