import { otherTrees } from "../adapters/git/read/working-trees.ts";
import { ProblemError } from "../core/problem.ts";
import { seeProject, type SeenProject } from "./see-project.ts";

/** Returns other working trees of the repository with an open run, for display only. */
export function openElsewhere({ root, item, env }: SeenProject): readonly string[] {
  if (item !== null) return [];
  return otherTrees(root).filter((tree) => {
    try {
      return seeProject(tree, env).current.state.is === "active";
    } catch (error) {
      if (error instanceof ProblemError) return false; // `status --all` reports this problem
      throw error;
    }
  });
}
