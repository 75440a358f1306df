import type { Outcome } from "../../core/command.ts";
import { keptName, keptRef } from "../../core/kept-ref.ts";
import { currentPhase } from "../../core/run.ts";
import type { Engine } from "../engine.ts";
import type { Task } from "../perform.ts";
import { commitPaths } from "./repository.ts";

/** Takes what came after a phase out of the tree; all of it is kept under a name of its own first. */
export async function rewindTree(engine: Engine, { run }: Task): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (run.stage.is !== "rewinding" || phase === undefined) return null;
  const { workspace } = engine;
  const name = keptName(run);
  // After a crash the tree may be half restored: what was kept then is the whole.
  const now = (await workspace.kept(name)) ?? (await workspace.snapshot(name, [run.run.item]));
  const changes = await workspace.diff(phase.firstTree, now);
  if (now === null || phase.firstTree === null || changes === null)
    return { of: "rewind", kept: null, restored: [], commit: null };
  const restored = changes.map(({ path }) => path);
  await workspace.restore(phase.firstTree, restored);
  const attempt = `${run.run.run}/${name}`;
  const commit = await commitPaths(engine, run, {
    subject: `Back to ${phase.rule.name}: ${run.run.title}`,
    attempt,
    paths: restored,
  });
  return { of: "rewind", kept: keptRef(run), restored, commit };
}
