import { otherTrees } from "../../adapters/git/other-trees.ts";
import { ProblemError } from "../../core/problem.ts";
import { currentRun, openProject, type Project } from "./project.ts";

/** Other working trees of the repository with an open run. They are named, never acted on. */
export function openElsewhere({ root, item, env }: Project): readonly string[] {
  if (item !== null) return [];
  return otherTrees(root).filter((tree) => {
    try {
      return currentRun(openProject(tree, env), undefined).state.is === "active";
    } catch (error) {
      if (error instanceof ProblemError) return false; // `status --all` tells what is wrong there
      throw error;
    }
  });
}
