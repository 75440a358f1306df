import { must } from "../../../src/adapters/git/process/git.ts";
import { isObjectId } from "../../../src/adapters/git/process/ref-name.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import type { PhaseOutput } from "../../../src/schema/facts.ts";
import { treeAt } from "../../../src/schema/ids.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import { refusedField } from "./refused-field.ts";
import { fetchTrees } from "./unshown-changes.ts";

type ProposedState = Partial<Pick<PhaseOutput, "proposedCommit" | "commitTree" | "standing">>;

/**
 * Compares the commit that a gate would show with its parent and tree, in the server's own copy.
 * @throws ProblemError NOT_ALLOWED if they differ, or the remote does not have the commit
 */
export async function requireProposed(copy: RepositoryCopy, run: ActiveRun, proposed: ProposedState): Promise<void> {
  const { proposedCommit: commit, commitTree, standing } = proposed;
  if (commit === undefined || commit === null) return;
  if (!isObjectId(commit)) throw refusedField("proposedCommit", "it is not an object id");
  await fetchTrees(copy, run, [treeAt(commit)]);
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
  const ask = async (what: string): Promise<string | null> => {
    const answer = await copy.git([...args, what]);
    return answer.status === 0 ? answer.stdout.toString("latin1").trim() : null;
  };
  if ((await ask(`${commit}^{tree}`)) !== commitTree) throw refusedField("proposedCommit", "it has another tree");
  const parents = await must(copy.git(["rev-list", "--parents", "--max-count=1", commit]), "rev-list");
  const [, ...ids] = parents.toString("latin1").trim().split(" ");
  if (ids.length > 1 || (ids[0] ?? null) !== (standing?.tip ?? null))
    throw refusedField("proposedCommit", "it is not on the tip of the branch");
}
