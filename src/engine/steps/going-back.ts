import type { Outcome } from "../../core/command.ts";
import { keptName, keptRef } from "../../core/kept-ref.ts";
import { type ActiveRun, currentPhase, type PhaseRecord, type EarlierWork } from "../../core/run.ts";
import type { Engine, Task } from "../engine.ts";
import { commitTree, notCommitted } from "./repository.ts";
import { uncommittedSince } from "./proposal.ts";
import { readRepositoryStanding } from "./standing.ts";
import { acceptedBefore } from "../../core/changes/last-reviewed-tree.ts";
import type { ReturnBases } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";

/** Restores the working tree to the start of the phase returned to, after saving all later work under a ref. */
export async function rewindTree(engine: Engine, { run }: Task): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (run.stage.is !== "rewinding" || phase === undefined) return null;
  const { workspace } = engine;
  const name = keptName(run);
  // After a crash the tree may be half restored; the first snapshot is complete.
  const now = (await workspace.kept(name)) ?? (await workspace.snapshot(name, [run.run.item]));
  const changes = await workspace.diff(phase.firstTree, now);
  if (now === null || phase.firstTree === null || changes === null)
    return { of: "rewind", kept: null, restored: [], commit: null };
  const restored = changes.map(({ path }) => path);
  await workspace.restore(phase.firstTree, restored);
  const commit = await commitRewind(engine, run, { from: now, to: phase.firstTree, phase });
  return { of: "rewind", kept: keptRef(run), restored, commit };
}

type Rewind = { readonly from: string; readonly to: string; readonly phase: PhaseRecord };

/** Commits onto the current tip of the branch, with exactly the tree of the run's own last commit before the phase. */
async function commitRewind(engine: Engine, run: ActiveRun, { from, to, phase }: Rewind): Promise<string | null> {
  const standing = await readRepositoryStanding(engine, run);
  if (engine.vcs === null || standing === undefined || run.run.options.commits !== "phase") return null;
  const { tree } = await engine.vcs.compose({ onto: run.tip, from, to, include: [run.run.item] });
  const committed = await commitTree(engine, run, {
    subject: `Back to ${phase.rule.name}: ${run.run.title}`,
    attempt: `${run.run.run}/${keptName(run)}`,
    parent: standing.tip,
    tree,
  });
  if (committed.is !== "done") throw notCommitted("the step back");
  return committed.commit;
}

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
