import { lastReviewedTree } from "../core/last-reviewed-tree.ts";
import { type ActiveRun, currentPhase } from "../core/run.ts";
import type { Workspace } from "../ports/workspace.ts";

/**
 * Everything that a person has not read yet and that Continue would accept: what changed in the tree since they last
 * looked, what others committed on the branch, and what hooks would add to the commit.
 */
export async function shownPatch(workspace: Pick<Workspace, "patch">, run: ActiveRun): Promise<string> {
  const made = currentPhase(run)?.made ?? null;
  if (made === null) return "";
  const parts = [await workspace.patch(lastReviewedTree(run), made.tree)];
  const tip = made.standing?.tip ?? null;
  if (tip !== null && tip !== run.tip)
    parts.push("Committed on the branch by somebody else:\n", await workspace.patch(run.tip, tip));
  if (made.plainTree !== undefined && made.commitTree !== undefined)
    parts.push(
      "Changed by hooks of the repository in what is committed:\n",
      await workspace.patch(made.plainTree, made.commitTree),
    );
  return parts.filter((part) => part !== "").join("\n");
}
