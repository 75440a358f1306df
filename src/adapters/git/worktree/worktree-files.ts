import { readdir } from "node:fs/promises";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { decodePath, isUnder, splitFields } from "../process/git-path.ts";
import { fileAt } from "../snapshot/worktree-uncommitted.ts";

export type TreeFiles = {
  /** Every file and link, as git would name it. Pipes and sockets are omitted: they have no content. */
  readonly files: readonly string[];
  /** Folders with their own `.git`. Git does not enter them. */
  readonly nested: readonly string[];
};

/** Lists everything under a folder without following links. Throws if a folder is unreadable. */
export async function walkTree(top: string, start = ""): Promise<TreeFiles> {
  const files: string[] = [];
  const nested: string[] = [];
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(fileAt(top, folder), { withFileTypes: true, encoding: "buffer" });
    for (const entry of entries) {
      const name = decodePath(entry.name);
      const path = folder === "" ? name : `${folder}/${name}`;
      if (path === ".git") continue;
      if (/^\.git$/i.test(name)) nested.push(folder);
      else if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(path);
    }
  }
  return { files, nested: nested.toSorted() };
}

/**
 * Lists ignored files: neither tracked nor reported as new, and not under `.isdlc`. Starts from the disk, to find
 * everything git hides. A folder with only ignored files is listed instead of its files, with a trailing slash.
 */
export async function ignoredIn(
  git: Git,
  { files, uncommitted }: { readonly files: readonly string[]; readonly uncommitted: readonly string[] },
): Promise<readonly string[]> {
  const output = await must(git(["ls-files", "-z"], { timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  const known = new Set([...splitFields(output).map(decodePath), ...uncommitted]);
  const folders = new Set([...known].flatMap(parentFolders));
  const ignored = files.filter((path) => !known.has(path) && !isUnder(path, OWN_FOLDER));
  const shown = ignored.map((path) => {
    const whole = parentFolders(path).find((parent) => !folders.has(parent));
    return whole === undefined ? path : `${whole}/`;
  });
  return [...new Set(shown)].toSorted();
}

/** Returns `a` and `a/b` for `a/b/c`. */
function parentFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}
