import { otherTrees } from "../../../adapters/git/read/other-trees.ts";
import { ProblemError } from "../../../core/problem.ts";
import { currentPhase } from "../../../core/run.ts";
import { statusWord } from "../../../views/status.ts";
import { type TreeRow, treesTable } from "../../../views/trees-table.ts";
import { currentRun, driverOf, itemProject, openProject, type Project } from "../project.ts";
import { analysedItems } from "../project-of.ts";
import { done, type Run } from "../grammar/verb.ts";

/** Every working tree of the repository with its run, and the analyses under way in each. Nothing is changed. */
export const statusAll: Run = ({ cwd, env }) => {
  const here = openProject(cwd, env);
  const trees = [here.root, ...otherTrees(here.root)].flatMap((path) =>
    rowsOf(path, () => openProject(path, here.env), path === here.root),
  );
  return Promise.resolve(done(treesTable(trees), { trees }));
};

function rowsOf(path: string, open: () => Project, isHere: boolean): TreeRow[] {
  const tree = rowOf({ path, item: null, isHere }, open);
  const items = analysedItems({ root: path })
    .map((item) => rowOf({ path, item, isHere }, () => itemProject(open(), item)))
    .filter(({ run, problem }) => problem !== null || (run !== null && run.isOpen));
  return [tree, ...items];
}

type TreeLocation = Pick<TreeRow, "path" | "item" | "isHere">;

function rowOf(place: TreeLocation, open: () => Project): TreeRow {
  try {
    const project = open();
    const { state } = currentRun(project, undefined);
    if (state.is === "none") return { ...place, run: null, problem: null };
    const isOpen = state.is === "active";
    const driven = isOpen && state.wait === null && driverOf(project) !== null;
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
