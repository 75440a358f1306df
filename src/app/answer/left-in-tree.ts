import { CANCELLED_NAME } from "../../core/kept-ref.ts";
import { runBegan } from "../../core/changes/last-reviewed-tree.ts";
import { isOwnPath } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import type { ActiveRun } from "../../core/run.ts";
import { treeBefore } from "../../engine/steps/proposal.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { Project } from "../project/project.ts";

/** Uncommitted files of a cancelled run in the working tree. */
export type LeftInTree = {
  readonly paths: readonly string[];
  /** Backup ref; null if the files stayed in the working tree. */
  readonly kept: string | null;
};

type LeftTree = Pick<Project, "workspace">;
type LeftFiles = { readonly from: TreeId; readonly paths: readonly string[] };

/** Lists files changed by the run's agents that are in no commit. Null if unknown. */
export async function leftInTree(project: LeftTree, run: ActiveRun): Promise<readonly string[] | null> {
  return (await uncommitted(project, run))?.paths ?? null;
}

export type ResolvedTree = { readonly left: LeftInTree | null; readonly warnings: readonly string[] };

/**
 * Keeps these files in the working tree, or saves them under a ref and removes them. The run stays cancelled if this
 * fails.
 */
export async function resolveTree(
  project: LeftTree,
  run: ActiveRun,
  tree: "keep" | "restore" = "keep",
): Promise<ResolvedTree> {
  try {
    return { left: await resolved(project, run, tree), warnings: [] };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return {
      left: null,
      warnings: [`The agent's uncommitted changes are still in the working tree: ${error.message}`],
    };
  }
}

async function resolved(project: LeftTree, run: ActiveRun, tree: "keep" | "restore"): Promise<LeftInTree | null> {
  const found = await uncommitted(project, run);
  if (found === null && tree === "restore")
    throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: "earlier states of the files are not kept" });
  if (found === null || found.paths.length === 0) return null;
  const { from, paths } = found;
  if (tree === "keep") return { paths, kept: null };
  await project.workspace(run).restore(from, paths);
  return { paths, kept: `refs/isdlc/${run.run.run}/${CANCELLED_NAME}` };
}

async function uncommitted(project: LeftTree, run: ActiveRun): Promise<LeftFiles | null> {
  const from = treeBeforeAgents(run);
  if (from === null) return null;
  const workspace = project.workspace(run);
  const now = await workspace.snapshot(CANCELLED_NAME, [run.run.item]);
  const changes = await workspace.diff(from, now);
  if (changes === null) return null;
  return { from, paths: changes.map(({ path }) => path).filter((path) => !isOwnPath(path)) };
}

/** Adopted work was there before any agent of the run. */
function treeBeforeAgents(run: ActiveRun): TreeId | null {
  if (run.run.git?.adopts !== undefined) return run.phases[0]?.bases?.entered ?? null;
  return run.run.options.commits === "phase" ? treeBefore(run) : runBegan(run).tree;
}

/** Ends the orphaned agent of a killed driver. Returns its execution, if any. */
export async function reapOrphans(
  { endAll }: Pick<Project, "endAll">,
  { stage }: Pick<ActiveRun, "stage">,
): Promise<string | null> {
  const claim = "claim" in stage ? stage.claim : null;
  if (claim === null) return null;
  await endAll(claim.nonce);
  return claim.execution;
}
