import type { SeenCommit } from "../../core/attestation/seen-commit.ts";
import type { Git } from "../git/process/git.ts";

/**
 * Merges whose tree is exactly what git makes of their two parents, so that nothing came in with them. None where the
 * repository has merge programs of its own, which would have to be started to know, or where git is older than 2.38.
 */
export async function plainMerges(git: Git, commits: readonly SeenCommit[]): Promise<ReadonlySet<string>> {
  const merges = commits.filter(({ parents }) => parents.length === 2);
  if (merges.length === 0 || (await hasMergePrograms(git))) return new Set();
  const plain = new Set<string>();
  for (const { commit, tree, parents } of merges) {
    const [one = "", other = ""] = parents;
    const answer = await git(["merge-tree", "--write-tree", "--no-messages", one, other]);
    if (answer.status === 0 && answer.stdout.toString("latin1").trim() === tree) plain.add(commit);
  }
  return plain;
}

async function hasMergePrograms(git: Git): Promise<boolean> {
  return (await git(["config", "--get-regexp", String.raw`^merge\..*\.driver$`])).status === 0;
}
