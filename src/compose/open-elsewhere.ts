import { otherTrees } from "../adapters/git/read/working-trees.ts";
import { ProblemError } from "../core/problem.ts";
import { seeProject, type SeenProject } from "./see-project.ts";

/** Other working trees of the repository with an open run. They are named, never acted on. */
export function openElsewhere({ root, item, env }: SeenProject): readonly string[] {
  if (item !== null) return [];
  return otherTrees(root).filter((tree) => {
    try {
      return seeProject(tree, env).current.state.is === "active";
    } catch (error) {
      if (error instanceof ProblemError) return false; // `status --all` tells what is wrong there
      throw error;
    }
  });
}
