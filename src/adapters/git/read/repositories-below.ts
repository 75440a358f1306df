import { type Dirent, readdirSync } from "node:fs";
import { decodePath, inTree } from "../process/git-path.ts";

/** More entries than this are listed faster by git. */
const MOST_ENTRIES = 5_000;

/**
 * Folders inside a working tree that have a `.git`, whatever it is and however deep: never fewer than git itself takes
 * for repositories. Null for a tree with more entries than are read here.
 */
export function repositoriesBelow(top: string): readonly string[] | null {
  const found: string[] = [];
  const left: Buffer[] = [Buffer.alloc(0)];
  let count = 0;
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = entriesIn(inTree(top, folder));
    count += entries.length;
    if (count > MOST_ENTRIES) return null;
    for (const entry of entries) {
      const isGit = entry.name.toString("latin1") === ".git";
      if (isGit && folder.length > 0) found.push(decodePath(folder));
      if (!isGit && entry.isDirectory())
        left.push(folder.length === 0 ? entry.name : Buffer.concat([folder, SLASH, entry.name]));
    }
  }
  return found.sort();
}

const SLASH = Buffer.from("/");

function entriesIn(folder: Buffer): Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  } catch {
    return []; // gone meanwhile, or not for us: git could not read it either
  }
}
