import type { RevertedFiles } from "../../core/command.ts";
import { isFile } from "../../core/next.ts";
import { ProblemError } from "../../core/problem.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import type { Project } from "../project/project.ts";

/** Restores files that the phase was not allowed to write. The state before is saved under a ref. */
export async function revertWrites(project: Pick<Project, "workspace">, run: ActiveRun): Promise<RevertedFiles> {
  const phase = currentPhase(run);
  const paths = (phase?.made?.unexpected ?? []).filter(isFile);
  if (phase === undefined || phase.firstTree === null)
    throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: "earlier states of the files are not kept" });
  const workspace = project.workspace(run);
  const name = `${phase.rule.key}-${phase.attempts}-reverted-${run.seq}`;
  const before = `${name}-before`;
  // Reuses the first snapshot if an earlier try was interrupted.
  const kept = (await workspace.kept(before)) ?? (await workspace.snapshot(before, [run.run.item]));
  await workspace.restore(phase.firstTree, paths);
  const tree = await workspace.snapshot(name, [run.run.item]);
  const shown = phase.made?.tree ?? null;
  const others = [
    ...((await workspace.diff(shown, kept)) ?? [null]),
    ...((await workspace.diff(kept, tree)) ?? [null]),
  ];
  // If other files changed since the gate, they must be shown first.
  const isAll = others.every((change) => change !== null && paths.includes(change.path));
  return { paths, kept, tree: isAll ? tree : null };
}
