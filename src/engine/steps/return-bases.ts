import { acceptedBefore } from "../../core/last-reviewed-tree.ts";
import { type ActiveRun, type EarlierWork, type PhaseRecord } from "../../core/run.ts";
import type { ReturnBases } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { Engine } from "../engine.ts";
import { uncommittedSince } from "./standing.ts";

type EnteredPhase = { readonly phase: PhaseRecord; readonly tree: TreeId };

/**
 * Trees to compare with in a phase that is entered again after a return that kept the files. The phase then shows,
 * commits and reverts all of its own work, from before the return too, and none of the work of later phases, which is
 * still in the tree. Null for a phase without such work, and for one that was returned to from itself.
 */
export async function returnBases(
  engine: Pick<Engine, "workspace">,
  run: ActiveRun,
  { phase, tree }: EnteredPhase,
): Promise<ReturnBases | null> {
  const { earlierWork } = phase;
  if (earlierWork === null || (earlierWork.to === null && earlierWork.returnedAt === null)) return null;
  const { from, to, start: firstStart, returnedAt } = resolved(earlierWork, tree);
  const without = (whole: TreeId, part: string, change: { readonly from: TreeId; readonly to: TreeId }) =>
    engine.workspace.without(`${phase.rule.key}-${phase.attempts + 1}-${part}`, whole, change);
  const own = await without(tree, "own", { from, to });
  const start = await without(tree, "clean", { from: firstStart, to: returnedAt });
  // The trees of earlier phases have the work of later phases in them, but for those from before the return.
  const isReturnedTo = earlierWork.returnedAt === null;
  const since = (before: TreeId, part: string): Promise<TreeId> =>
    isReturnedTo ? without(own, part, { from: before, to: start }) : without(before, part, { from, to });
  const accepted = acceptedBefore(run).tree;
  const uncommitted = uncommittedSince(run);
  const gate = accepted === null ? own : await since(accepted, "gate");
  const commit = uncommitted === null ? own : await since(uncommitted, "commit");
  return { entered: tree, own, start, gate, commit };
}

/** What the first phase entered after a return finds is the tree at the return. */
const resolved = ({ from, to, start, returnedAt }: EarlierWork, tree: TreeId) => ({
  from,
  to: to ?? tree,
  start,
  returnedAt: returnedAt ?? tree,
});
