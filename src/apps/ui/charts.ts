import { ProblemError } from "../../core/problem.ts";
import type { ChartsView } from "../../schema/api-project.ts";
import type { RunId } from "../../schema/ids.ts";
import { toCharts, readFigures, type RunFigures } from "../../views/page/charts.ts";
import type { LocatedProject, Repository } from "./repository.ts";

/** Maximum number of runs in the charts: the newest ones. */
const MAX_RUNS = 100;

/** Creates charts of ended runs. Values of each run are cached, because an ended run does not change. */
export function createCharts(repository: Repository): () => ChartsView {
  const known = new Map<RunId, RunFigures | null>();
  return () => {
    const ids = repository
      .places()
      .flatMap((located) => located.project.projections.endedRuns().map((id) => ({ id, located })))
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .slice(-MAX_RUNS);
    for (const { id, located } of ids) if (!known.has(id)) known.set(id, figures(located, id));
    return toCharts(ids.flatMap(({ id }) => known.get(id) ?? []));
  };
}

/** Returns null for an unreadable journal. Lists report the problem. */
function figures({ project }: LocatedProject, id: RunId): RunFigures | null {
  try {
    const { state } = project.journal.load(id);
    return state.is === "ended" ? readFigures(state, project.journal.events(id)) : null;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}
