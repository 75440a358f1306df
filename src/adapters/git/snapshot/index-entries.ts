import { type EntryGlance, readFromIndex } from "../objects/git-index.ts";
import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { splitFields } from "../process/git-path.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

/** What an index says about a file, its content aside. */
export type KnownFile = Pick<EntryGlance, "name" | "isAssumed" | "isSkipped" | "recordedAt">;

/** Those files of an index that are wanted, read here where that is faster than asking git. */
export async function indexEntries(
  git: Git,
  environment: IndexEnvironment,
  isWanted: (file: KnownFile) => boolean,
): Promise<readonly KnownFile[]> {
  const read = readFromIndex(environment["GIT_INDEX_FILE"] ?? "", isWanted);
  return read?.entries ?? (await listedByGit(git, environment)).filter(isWanted);
}

async function listedByGit(git: Git, environment: IndexEnvironment): Promise<KnownFile[]> {
  const args = ["ls-files", "-v", "-z", "--cached"];
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return splitFields(output).map((line) => {
    const tag = line.toString("latin1", 0, 1);
    const isAssumed = tag !== tag.toUpperCase();
    return { name: line.toString("latin1", 2), isAssumed, isSkipped: tag.toUpperCase() === "S", recordedAt: null };
  });
}
