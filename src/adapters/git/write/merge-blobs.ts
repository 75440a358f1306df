import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Git, must } from "../process/git.ts";
import { inTemporaryFolder } from "../../file-system/temporary-folder.ts";
import type { TreeEntry } from "./tree-entry.ts";

type Three = { readonly before: TreeEntry; readonly after: TreeEntry; readonly committed: TreeEntry };

const isPlainFile = ({ mode }: TreeEntry): boolean => mode.startsWith("100");

/**
 * Returns the committed version of a file with only the attempt's changes, for a file with uncommitted lines from
 * before the attempt. Returns null if the two cannot be separated.
 */
export async function mergeBlobs(git: Git, { before, after, committed }: Three): Promise<TreeEntry | null> {
  if (committed.id === after.id || ![before, after, committed].every(isPlainFile))
    return after.id === committed.id ? after : null;
  return inTemporaryFolder(async (folder) => {
    const names = ["committed", "before", "after"];
    for (const [at, { id }] of [committed, before, after].entries())
      await writeFile(join(folder, names[at] ?? ""), await must(git(["cat-file", "blob", id]), "cat-file"));
    const paths = names.map((name) => join(folder, name));
    const merged = await git(["merge-file", "-p", "--quiet", ...paths]);
    if (merged.status !== 0) return null; // number of conflicts, or binary files
    const id = await must(git(["hash-object", "-w", "-t", "blob", "--stdin"], { input: merged.stdout }), "hash-object");
    return { mode: after.mode, id: id.toString("latin1").trim() };
  });
}
