import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { readIndex } from "../objects/git-index.ts";
import { inTree } from "../process/git-path.ts";
import { gitFolders } from "../process/working-trees.ts";

/** Git itself lists more entries faster. */
const MAX_FOLDER_ENTRIES = 5_000;

/** Skipped at the top only. */
const NOT_OF_THE_TREE: ReadonlySet<string> = new Set([".git", OWN_FOLDER]);

/**
 * Returns true if the index has every file of a working tree except `.isdlc`: git has no untracked files to find.
 * Returns false for everything that only git should interpret, such as repositories inside the tree.
 */
export function hasOnlyTracked(top: string): boolean {
  const folders = gitFolders(top);
  const index = folders && readIndex(join(folders.own, "index"));
  if (!index) return false;
  const known = new Set(index.entries.map(({ name }) => name));
  const left = [""];
  let count = 0;
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = entriesIn(inTree(top, Buffer.from(folder, "latin1")));
    if (entries === null || (count += entries.length) > MAX_FOLDER_ENTRIES) return false;
    for (const entry of entries) {
      const name = entry.name.toString("latin1");
      if (folder === "" && NOT_OF_THE_TREE.has(name)) continue;
      const path = folder + name;
      if (name === ".git" || known.has(path) === entry.isDirectory()) return false;
      if (entry.isDirectory()) left.push(`${path}/`);
    }
  }
  return true;
}

function entriesIn(folder: Buffer): Dirent<Buffer>[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  } catch {
    return null;
  }
}
