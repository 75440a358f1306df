import { type EntryGlance, readFromIndex } from "../objects/git-index.ts";
import { isOutsideTrees, rememberedTree } from "../objects/tree-of-index.ts";
import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { splitFields } from "../process/git-path.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

/** Fields of an index entry, without its content. */
export type KnownFile = Pick<EntryGlance, "name" | "isAssumed" | "isSkipped" | "recordedAt">;

export type IndexEntries = {
  /** Entries accepted by the filter. */
  readonly entries: readonly KnownFile[];
  /** Tree of the index if it is known without writing one, else null. */
  readonly tree: string | null;
};

/** Reads the entries directly if that is faster than asking git. */
export async function indexEntries(
  git: Git,
  environment: IndexEnvironment,
  isWanted: (file: KnownFile) => boolean,
): Promise<IndexEntries> {
  const { GIT_INDEX_FILE: file = "" } = environment;
  const read = readFromIndex(file, (entry) => isWanted(entry) || isOutsideTrees(entry));
  if (read === null) return { entries: (await listedByGit(git, environment)).filter(isWanted), tree: null };
  return { entries: read.entries.filter(isWanted), tree: rememberedTree(read) };
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
