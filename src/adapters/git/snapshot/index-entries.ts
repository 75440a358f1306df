import { type IndexEntry, readIndex } from "../objects/git-index.ts";
import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { splitFields } from "../process/git-path.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

/** What an index says about a file, its content aside. */
export type KnownFile = Pick<IndexEntry, "name" | "isAssumed" | "isSkipped">;

/** All that an index names, read here where that is faster than asking git. */
export async function indexEntries(git: Git, environment: IndexEnvironment): Promise<readonly KnownFile[]> {
  return readIndex(environment["GIT_INDEX_FILE"] ?? "")?.entries ?? (await listedByGit(git, environment));
}

async function listedByGit(git: Git, environment: IndexEnvironment): Promise<KnownFile[]> {
  const args = ["ls-files", "-v", "-z", "--cached"];
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return splitFields(output).map((line) => {
    const tag = line.toString("latin1", 0, 1);
    const isAssumed = tag !== tag.toUpperCase();
    return { name: line.toString("latin1", 2), isAssumed, isSkipped: tag.toUpperCase() === "S" };
  });
}
