import { otherTrees } from "../adapters/git/process/working-trees.ts";
import { ProblemError } from "../core/problem.ts";
import { seeProject, type SeenProject } from "./see-project.ts";
import { sha256 } from "../adapters/files/node-crypto.ts";

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

const FIRST_PORT = 20_000;
const PORTS = 10_000;

/**
 * Returns the port of a repository's web UI. It is always the same, because browsers store data such as drafts by
 * port.
 */
export const pagePort = (root: string): number => FIRST_PORT + (Number.parseInt(sha256(root).slice(0, 8), 16) % PORTS);
