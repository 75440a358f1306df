import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import type { CommitRequest, MergeRequest } from "../../src/ports/vcs.ts";
import type { Fixture } from "./repository-fixture.ts";
import { agreeing } from "./repository-fixture.ts";

/** A commit of the current files and folders given, onto the current HEAD. */
export async function commitRequest(
  fixture: Fixture,
  paths: readonly string[],
  attempt = "run/01-x#1",
): Promise<CommitRequest> {
  const write = createGitWrite(fixture.repo, agreeing);
  const parent = await write.head();
  const from = parent ?? fixture.git("hash-object", "-w", "-t", "tree", "/dev/null");
  const to = await createGitWorkspace(fixture.repo, { run: "run", env: process.env }).now([]);
  const { tree } = await write.compose({ onto: parent, from, to: to ?? "", include: [], only: paths });
  const message = "phase: done\n\nbody\n# kept";
  const keep = { run: "run", name: `${attempt}-commit` };
  return { message, attempt, journal: "7:abc", branch: null, parent, tree, at: new Date().toISOString(), keep };
}

/** A merge of the current commits of both branches. */
export function mergeRequest({ git }: Pick<Fixture, "git">, branch = "feature", base = "main"): MergeRequest {
  const tipOf = (name: string): string => {
    try {
      return git("rev-parse", "--verify", "--quiet", `refs/heads/${name}`);
    } catch {
      return "0".repeat(40);
    }
  };
  return { branch, base, commit: tipOf(branch), onto: tipOf(base), message: "Merge it" };
}
