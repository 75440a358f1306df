import { join } from "node:path";
import { withoutFilters } from "../read/content-filters.ts";
import { must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { joinFields } from "../process/git-path.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

export type ExportRequest = {
  readonly commit: string;
  readonly into: string;
  readonly paths: readonly string[] | "all";
  /** Index with exactly the commit's files. Without it, a temporary one is created. */
  readonly index?: IndexEnvironment | null;
};

/** Writes files of a snapshot into a folder outside the working tree. Leaves nothing in the repository. */
export async function exportTree(git: Git, request: ExportRequest): Promise<void> {
  if (request.index) return checkOut(git, request, request.index);
  const filterless = await withoutFilters(git);
  await inTemporaryFolder(async (folder) => {
    const environment = { ...filterless, GIT_INDEX_FILE: join(folder, "index") };
    await must(git(["read-tree", request.commit], { environment, timeoutMs: wholeTreeTimeoutMs }), "read-tree");
    await checkOut(git, request, environment);
  });
}

async function checkOut(git: Git, { into, paths }: ExportRequest, environment: IndexEnvironment): Promise<void> {
  const chosen = paths === "all" ? ["--all"] : ["-z", "--stdin"];
  const args = ["checkout-index", "--force", "--quiet", `--prefix=${into}/`, ...chosen];
  const input = paths === "all" ? {} : { input: joinFields(paths) };
  await must(git(args, { environment, ...input, timeoutMs: wholeTreeTimeoutMs }), "checkout-index");
}
