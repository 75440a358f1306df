import type { TreeId } from "../schema/ids.ts";
import { type ActiveRun, indexAfter } from "./run.ts";

/** A tree to compare with, and the phase at whose gate a person saw it; null for the beginning of the run. */
type ReviewedTree = { readonly tree: TreeId | null; readonly phase: string | null };

/** The tree a person last saw at this phase's gate; before that, the base of its gate. */
export const lastReviewedTree = (run: ActiveRun): TreeId | null =>
  run.phases[run.index]?.seenTree ?? lastAcceptedTree(run).tree;

/**
 * The tree that a person last accepted: what changed since, in phases without a gate too, is accepted with this one.
 * After a return that kept the files it has the work of later phases, but none of the work that is to be accepted again.
 */
export function lastAcceptedTree(run: ActiveRun): ReviewedTree {
  const before = acceptedBefore(run);
  const bases = run.phases[run.index]?.bases ?? null;
  return bases === null ? before : { ...before, tree: bases.gate };
}

/** The same without regard to what the current phase left in the tree before a return. */
export function acceptedBefore(run: ActiveRun): ReviewedTree {
  const earlier = run.phases.slice(0, run.index);
  const accepted = earlier.findLast(({ acceptedTree }) => acceptedTree !== null);
  const last = earlier.findLast(({ acceptedTree, bases }) => acceptedTree !== null || bases !== null);
  const phase = accepted?.rule.name ?? null;
  return { tree: last?.acceptedTree ?? last?.bases?.gate ?? runBegan(run).tree, phase };
}

/** The tree before any agent of the run wrote. */
export const runBegan = ({ phases: [first] }: Pick<ActiveRun, "phases">): ReviewedTree => ({
  tree: first?.bases?.start ?? first?.firstTree ?? null,
  phase: null,
});

/** Whether a person has looked at an earlier attempt of the current phase. */
export const hasLookedHere = (run: ActiveRun): boolean => (run.phases[run.index]?.seenTree ?? null) !== null;

/** Whether nothing comes after the current phase but the end of the run. */
export const isLastPhase = (run: ActiveRun): boolean => indexAfter(run.phases, run.index) >= run.phases.length;

/** The tree that was looked at last in this run, by whomever; null before the first look and without git. */
export const latestTree = (run: ActiveRun): TreeId | null =>
  run.phases.map(({ made, firstTree }) => made?.tree ?? firstTree).findLast((tree) => tree !== null) ?? null;
