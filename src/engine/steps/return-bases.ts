import { acceptedBefore } from "../../core/last-reviewed-tree.ts";
import { type ActiveRun, type EarlierWork, type PhaseRecord } from "../../core/run.ts";
import type { ReturnBases } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { Engine } from "../engine.ts";
import { uncommittedSince } from "./standing.ts";

type EnteredPhase = { readonly phase: PhaseRecord; readonly tree: TreeId };

/**
 * Builds the trees to compare with, for a phase entered again after a return that kept the files. The phase then
 * shows, commits and reverts all of its own work, including work from before the return, and none of the work of later
 * phases, which is still in the working tree. Null for a phase without such work, and for one returned to from itself.
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
  // Trees of earlier phases contain the work of later phases, unless they are from before the return.
  const isReturnedTo = earlierWork.returnedAt === null;
  const since = (before: TreeId, part: string): Promise<TreeId> =>
    isReturnedTo ? without(own, part, { from: before, to: start }) : without(before, part, { from, to });
  const accepted = acceptedBefore(run).tree;
  const uncommitted = uncommittedSince(run);
  const gate = accepted === null ? own : await since(accepted, "gate");
  const commit = uncommitted === null ? own : await since(uncommitted, "commit");
  return { entered: tree, own, start, gate, commit };
}

/** For the first phase entered after a return, the current tree is the one at the return. */
const resolved = ({ from, to, start, returnedAt }: EarlierWork, tree: TreeId) => ({
  from,
  to: to ?? tree,
  start,
  returnedAt: returnedAt ?? tree,
});
