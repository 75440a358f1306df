import type { TreeId } from "../schema/ids.ts";
import { type ActiveRun, indexAfter } from "./run.ts";

/** A tree to compare with, and the phase at whose gate a person saw it; null for the beginning of the run. */
type ReviewedTree = { readonly tree: TreeId | null; readonly phase: string | null };

/**
 * The tree a person last saw in this run: at this phase's gate, at an earlier one's, or, when nobody looked yet, the tree
 * the run began with.
 */
export const lastReviewedTree = (run: ActiveRun): TreeId | null => seenUntil(run, run.index + 1).tree;

/** The tree that was last accepted: what changed since, in phases without a gate too, is accepted with this one. */
export const lastAcceptedTree = (run: ActiveRun): ReviewedTree => seenUntil(run, run.index);

/** The tree before any agent of the run wrote. */
export const runBegan = ({ phases }: ActiveRun): ReviewedTree => ({ tree: phases[0]?.firstTree ?? null, phase: null });

/** Whether a person has looked at an earlier attempt of the current phase. */
export const hasLookedHere = (run: ActiveRun): boolean => (run.phases[run.index]?.seenTree ?? null) !== null;

/** Whether nothing comes after the current phase but the end of the run. */
export const isLastPhase = (run: ActiveRun): boolean => indexAfter(run.phases, run.index) >= run.phases.length;

function seenUntil(run: ActiveRun, end: number): ReviewedTree {
  const seen = run.phases.slice(0, end).findLast((phase) => phase.seenTree !== null);
  return seen === undefined ? runBegan(run) : { tree: seen.seenTree, phase: seen.rule.name };
}

/** The tree that was looked at last in this run, by whomever; null before the first look and without git. */
export const latestTree = (run: ActiveRun): TreeId | null =>
  run.phases.map(({ made, firstTree }) => made?.tree ?? firstTree).findLast((tree) => tree !== null) ?? null;
