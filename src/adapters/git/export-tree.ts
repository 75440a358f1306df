import { join } from "node:path";
import { must, wholeTreeTimeoutMs, withoutFilters } from "./git.ts";
import type { Git } from "./git.ts";
import { joinFields } from "./git-path.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

export type ExportRequest = {
  readonly commit: string;
  readonly into: string;
  readonly paths: readonly string[] | "all";
};

/** Writes files of a snapshot into a folder outside the tree; leaves nothing behind in the repository. */
export function exportTree(git: Git, { commit, into, paths }: ExportRequest): Promise<void> {
  return inTemporaryFolder(async (folder) => {
    const filterless = await withoutFilters(git);
    const environment = { ...filterless, GIT_INDEX_FILE: join(folder, "index") };
    await must(git(["read-tree", commit], { environment, timeoutMs: wholeTreeTimeoutMs }), "read-tree");
    const chosen = paths === "all" ? ["--all"] : ["-z", "--stdin"];
    const args = ["checkout-index", "--force", "--quiet", `--prefix=${into}/`, ...chosen];
    const input = paths === "all" ? Buffer.alloc(0) : joinFields(paths);
    await must(git(args, { environment, input, timeoutMs: wholeTreeTimeoutMs }), "checkout-index");
  });
}
