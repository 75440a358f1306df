import type { Outcome } from "../../core/command.ts";
import { keptName, keptRef } from "../../core/kept-ref.ts";
import { type ActiveRun, currentPhase, type PhaseRecord } from "../../core/run.ts";
import type { Engine } from "../engine.ts";
import type { Task } from "../perform.ts";
import { commitTree, notCommitted } from "./repository.ts";
import { readRepositoryStanding } from "./standing.ts";

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
    body: "",
    attempt: `${run.run.run}/${keptName(run)}`,
    parent: standing.tip,
    tree,
  });
  if (committed.is !== "done") throw notCommitted("the step back");
  return committed.commit;
}
