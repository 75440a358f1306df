import { ProblemError } from "../../core/problem.ts";
import type { RunList, RunRow } from "../../schema/api.ts";
import type { RunId } from "../../schema/ids.ts";
import { endedRow, runRow } from "../../views/page/run-row.ts";
import { visibleView } from "../../views/page/visible-view.ts";
import { apiProblem } from "./api-problem.ts";
import { isDriven, type LocatedProject, type ServedRepository } from "./repository.ts";

/** Number of ended runs per response. */
const PAGE = 60;
/** Number of ended runs to search. Older ones can be opened by id. */
const MAX_SEARCHED = 2000;

export type RunListQuery = { readonly before: string | null; readonly search: string };

type OpenRuns = { readonly rows: readonly RunRow[]; readonly problems: RunList["problems"] };

/** Lists waiting runs, longest wait first, then running and ended ones. */
export function listRuns(repository: ServedRepository, { before, search }: RunListQuery): RunList {
  const places = repository.places();
  const open = before === null ? openRuns(places) : { rows: [], problems: [] };
  const ended = endedIds(places);
  const following = ended.filter(({ id }) => before === null || id < before);
  const found = search === "" ? following.slice(0, PAGE).map(toRow) : searched(following, search);
  const last = found.at(-1);
  const isMore = search === "" && following.length > PAGE && last !== undefined;
  const waiting = open.rows.filter(({ wait }) => wait !== null).toSorted(byWait);
  const running = open.rows.filter(({ wait }) => wait === null);
  return visibleView({
    runs: [...[...waiting, ...running].filter((row) => matches(row, search)), ...found],
    next: isMore ? last.id : null,
    counts: { waiting: waiting.length, running: running.length, ended: ended.length },
    problems: open.problems,
  });
}

const byWait = (one: RunRow, other: RunRow): number => ((one.wait?.since ?? "") < (other.wait?.since ?? "") ? -1 : 1);

export function openRuns(places: readonly LocatedProject[]): OpenRuns {
  const rows: RunRow[] = [];
  const problems: RunList["problems"] = [];
  for (const located of places) {
    const { project, place } = located;
    try {
      const id = project.journal.newest();
      const state = id === null ? null : project.journal.load(id).state;
      if (state?.is === "active") rows.push(runRow(state, { place, isDriven: isDriven(located) }));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push({ place, problem: apiProblem(error.problem) });
    }
  }
  return { rows, problems };
}

type EndedId = { readonly id: RunId; readonly located: LocatedProject };

/** Lists ended runs, newest first. Ids sort by start time. */
function endedIds(places: readonly LocatedProject[]): EndedId[] {
  return places
    .flatMap((located) => located.project.projections.endedRuns().map((id) => ({ id, located })))
    .toSorted((one, other) => (one.id < other.id ? 1 : -1));
}

const toRow = ({ id, located: { project, place } }: EndedId): RunRow =>
  endedRow(id, project.projections.endedEntry(id), place);

const searched = (ids: readonly EndedId[], search: string): RunRow[] =>
  ids
    .slice(0, MAX_SEARCHED)
    .map(toRow)
    .filter((row) => matches(row, search))
    .slice(0, PAGE);

function matches({ id, title, workflow, item, branch }: RunRow, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/);
  const text = [id, title, workflow, item, branch ?? ""].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
