import { codeChanges, mustChangeCode, noCodeChanged } from "../../core/changed-code.ts";
import type { ActiveRun, PhaseRecord } from "../../core/run.ts";
import type { CheckResult } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { Engine } from "../engine.ts";

type DraftedPhase = { readonly run: ActiveRun; readonly phase: PhaseRecord; readonly tree: TreeId | null };

/** Returns a failed check if the phase must change code and did not. Empty if it did, or if changes are unknown. */
export async function checkChangedCode(
  { workspace }: Pick<Engine, "workspace">,
  { run, phase, tree }: DraftedPhase,
): Promise<readonly CheckResult[]> {
  if (!mustChangeCode(phase) || tree === null) return [];
  const changes = await workspace.diff(phase.firstTree, tree);
  if (changes === null) return [];
  const submodules = await workspace.submodules(tree);
  const paths = submodules.map(({ path }) => path);
  if (codeChanges(changes, { item: run.run.item, submodules: paths }).length > 0) return [];
  const began = Date.parse(phase.startedAt ?? "");
  const moved = new Set(changes.map(({ path }) => path));
  const touched = submodules.filter(({ path, changedAt }) => moved.has(path) || changedAt >= began);
  return [noCodeChanged(touched.map(({ path }) => path))];
}
