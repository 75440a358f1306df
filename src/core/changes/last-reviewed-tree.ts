import type { TreeId } from "../../schema/ids.ts";
import { type ActiveRun, indexAfter } from "../run.ts";

/** A tree to compare with, and the phase at whose gate it was shown; null at the start of the run. */
type ReviewedTree = { readonly tree: TreeId | null; readonly phase: string | null };

/** Returns the tree last shown at this phase's gate; before that, the base of its gate. */
export const lastReviewedTree = (run: ActiveRun): TreeId | null =>
  run.phases[run.index]?.seenTree ?? lastAcceptedTree(run).tree;

/**
 * Returns the last accepted tree. Changes since then, also of phases without a gate, are accepted with this one. After
 * a return that kept the files, it contains the work of later phases but none of the work to accept again.
 */
export function lastAcceptedTree(run: ActiveRun): ReviewedTree {
  const before = acceptedBefore(run);
  const bases = run.phases[run.index]?.bases ?? null;
  return bases === null ? before : { ...before, tree: bases.gate };
}

/** Returns the last accepted tree, ignoring what the current phase left in the working tree before a return. */
export function acceptedBefore(run: ActiveRun): ReviewedTree {
  const earlier = run.phases.slice(0, run.index);
  const accepted = earlier.findLast(({ acceptedTree }) => acceptedTree !== null);
  const last = earlier.findLast(({ acceptedTree, bases }) => acceptedTree !== null || bases !== null);
  const phase = accepted?.rule.name ?? null;
  return { tree: last?.acceptedTree ?? last?.bases?.gate ?? runBegan(run).tree, phase };
}

/** Returns the tree before any agent of the run wrote. */
export const runBegan = ({ phases: [first] }: Pick<ActiveRun, "phases">): ReviewedTree => ({
  tree: first?.bases?.start ?? first?.firstTree ?? null,
  phase: null,
});

/** True if an earlier attempt of the current phase was shown at a gate. */
export const hasLookedHere = (run: ActiveRun): boolean => (run.phases[run.index]?.seenTree ?? null) !== null;

/** True if the current phase is the last one to run. */
export const isLastPhase = (run: ActiveRun): boolean => indexAfter(run.phases, run.index) >= run.phases.length;

/** Returns the latest scanned tree of the run. Null before the first scan and without git. */
export const latestTree = (run: ActiveRun): TreeId | null =>
  run.phases.map(({ made, firstTree }) => made?.tree ?? firstTree).findLast((tree) => tree !== null) ?? null;
