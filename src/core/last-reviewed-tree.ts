import type { ActiveRun } from "./run.ts";

/**
 * The tree a person last saw in this run: at this phase's gate, at an earlier one's, or, when nobody looked yet, the tree
 * the run began with. What changed since is what there is to read at a gate.
 */
export function lastReviewedTree(run: ActiveRun): string | null {
  const seen = run.phases.slice(0, run.index + 1).findLast((phase) => phase.seenTree !== null);
  return seen?.seenTree ?? run.phases[0]?.firstTree ?? null;
}

/** The tree that was looked at last in this run, by whomever; null before the first look and without git. */
export const latestTree = (run: ActiveRun): string | null =>
  run.phases.map(({ made, firstTree }) => made?.tree ?? firstTree).findLast((tree) => tree !== null) ?? null;
