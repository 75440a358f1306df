import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { gitFolders } from "./working-trees.ts";

/** Names of files that git opens in any folder while it scans. */
const READ_BY_GIT: ReadonlySet<string> = new Set([".gitattributes", ".gitignore", ".gitmodules", ".mailmap"]);
const IN_GIT_FOLDER = "HEAD config config.worktree index packed-refs info/attributes info/exclude".split(" ");
const MAX_SEARCHED_FOLDERS = 50_000;

/**
 * Returns the path of a pipe, socket or device that git would open: git waits for the other end of a pipe without a
 * limit. Null if there is none.
 */
export async function findBlockingFile(top: string): Promise<string | null> {
  const folders = gitFolders(top);
  const own = folders === null ? [] : [...new Set([folders.own, folders.common])];
  const inGit = own.flatMap((folder) => IN_GIT_FOLDER.map((name) => join(folder, name))).find(isBlocking);
  if (inGit !== undefined) return inGit;
  const open = [top];
  for (let searched = 0; searched < MAX_SEARCHED_FOLDERS; searched++) {
    const folder = open.shift();
    if (folder === undefined) return null;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== ".git") open.push(path);
      else if (READ_BY_GIT.has(entry.name) && isBlocking(path)) return path;
    }
  }
  return null;
}

function isBlocking(path: string): boolean {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found !== undefined && !found.isFile() && !found.isDirectory();
  } catch {
    return false; // no permission, a loop of links: git cannot open it either
  }
}
