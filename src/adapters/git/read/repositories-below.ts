import { type Dirent, readdirSync } from "node:fs";
import { FILLED_BY_US, ownPath } from "../../../core/own-folder.ts";
import { decodePath, encodePath, inTree } from "../process/git-path.ts";

/** Git itself lists more entries faster. */
const MAX_ENTRIES = 5_000;

/**
 * Lists folders inside a working tree with a `.git` of any kind, at any depth: never fewer than git treats as
 * repositories. Folders filled by isdlc are skipped, because they grow with every run; `documents` are searched
 * anyway. Returns null if the tree has more than `MAX_ENTRIES` entries.
 */
export function repositoriesBelow(top: string, documents: readonly string[] = []): readonly string[] | null {
  const found: string[] = [];
  const left: Buffer[] = [Buffer.alloc(0), ...documents.map(encodePath)];
  let count = 0;
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = entriesIn(inTree(top, folder));
    count += entries.length;
    if (count > MAX_ENTRIES) return null;
    for (const entry of entries) {
      const path = folder.length === 0 ? entry.name : Buffer.concat([folder, SLASH, entry.name]);
      const isGit = entry.name.toString("latin1") === ".git";
      if (isGit && folder.length > 0) found.push(decodePath(folder));
      if (!isGit && entry.isDirectory() && !FILLED.has(path.toString("latin1"))) left.push(path);
    }
  }
  return found.sort();
}

const FILLED: ReadonlySet<string> = new Set(FILLED_BY_US.map((name) => ownPath(name)));
const SLASH = Buffer.from("/");

function entriesIn(folder: Buffer): Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  } catch {
    return []; // deleted in the meantime, or no permission: git could not read it either
  }
}
