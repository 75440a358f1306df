import { otherTrees } from "../../../adapters/git/process/working-trees.ts";
import { ProblemError } from "../../../core/problem.ts";
import { currentPhase } from "../../../core/run.ts";
import { statusWord } from "../../../views/status.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { itemProject, openProject, type LocalProject } from "../../../compose/project.ts";
import { analysedItems } from "../../../compose/project-location.ts";
import { done, type Run } from "../invocation/verb.ts";
import { type TreeRow, treesTable } from "../../../views/runs-table.ts";

/** Lists each working tree of the repository with its run and its open analyses. Read-only. */
export const statusAll: Run = async ({ cwd, env }) => {
  const here = openProject(cwd, env);
  const paths = [here.root, ...otherTrees(here.root)];
  const rows = paths.map((path) => listRows(path, () => openProject(path, here.env), path === here.root));
  const trees = (await Promise.all(rows)).flat();
  return done(treesTable(trees), { trees });
};

async function listRows(path: string, open: () => LocalProject, isHere: boolean): Promise<TreeRow[]> {
  const tree = await toRow({ path, item: null, isHere }, open);
  const analyses = analysedItems({ root: path }).map((item) =>
    toRow({ path, item, isHere }, () => itemProject(open(), item)),
  );
  const items = (await Promise.all(analyses)).filter(
    ({ run, problem }) => problem !== null || (run !== null && run.isOpen),
  );
  return [tree, ...items];
}

type TreeLocation = Pick<TreeRow, "path" | "item" | "isHere">;

async function toRow(place: TreeLocation, open: () => LocalProject): Promise<TreeRow> {
  try {
    const project = open();
    const { state } = await currentRun(project);
    if (state.is === "none") return { ...place, run: null, problem: null };
    const isOpen = state.is === "active";
    const driven = isOpen && state.wait === null && project.driver.holder() !== null;
    const { run, workflow, title } = state.run;
    const phase = isOpen ? (currentPhase(state)?.rule.key ?? null) : null;
    return {
      ...place,
      run: { id: run, workflow, title, phase, status: statusWord(state, driven), isOpen },
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return { ...place, run: null, problem: error.problem.code };
  }
}
