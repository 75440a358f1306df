import { ownValue } from "../../core/own-value.ts";
import { ProblemError } from "../../core/problem.ts";
import type { EventHistory, FinishedRun, FinishedRuns, ReviewHistory } from "../../schema/api-history.ts";
import type { RunId } from "../../schema/ids.ts";
import { finishedRun, computeTotals } from "../../views/metrics.ts";
import { listReviews } from "../../views/reviews.ts";
import { historyEntry } from "../../views/state-file.ts";
import type { Project } from "../project/project.ts";

/** Runs in a list; older ones are still there by their id. */
const MAX_RUNS = 100;

type HistorySources = Pick<Project, "item" | "journal" | "projections">;

/** What happened in one run. */
export async function lookAtEvents({ journal }: Pick<Project, "journal">, run: RunId): Promise<EventHistory> {
  return { events: await journal.events(run) };
}

/** What reviewers said in a run; given an item, in every finished run about it before. */
export async function lookAtReviews(project: HistorySources, run: RunId, item: string | null): Promise<ReviewHistory> {
  const earlier = item === null ? [] : runsAbout(project, item).filter((id) => id !== run);
  const events = await Promise.all([...earlier, run].map(async (id) => project.journal.events(id)));
  return { reviews: events.flatMap(listReviews) };
}

/** The finished runs of the working tree and of its items; of an item, its own. */
export async function lookAtFinished(project: HistorySources & Pick<Project, "siblings">): Promise<FinishedRuns> {
  const items = project.item === null ? project.siblings() : [];
  const found = await Promise.all([project, ...items].map(finishedIn));
  const runs = found
    .flat()
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .slice(-MAX_RUNS);
  return { runs, totals: computeTotals(runs) };
}

const finishedIn = (project: HistorySources): Promise<FinishedRun[]> =>
  Promise.all(
    newest(project).map(async (run) => {
      const entry = project.projections.endedEntry(run) ?? (await fromJournal(project, run));
      return finishedRun(run, entry, project.item);
    }),
  );

const newest = ({ projections }: Pick<Project, "projections">): readonly RunId[] =>
  projections.endedRuns().slice(-MAX_RUNS);

/** Oldest first. */
const runsAbout = (project: Pick<Project, "projections">, item: string): readonly RunId[] =>
  newest(project).filter((run) => ownValue(project.projections.endedEntry(run), "artifact_folder") === itemName(item));

const itemName = (item: string): string => item.slice(item.lastIndexOf("/") + 1);

/** What an entry that cannot be read would say; null when the journal does not tell either. */
async function fromJournal({ journal }: Pick<Project, "journal">, run: RunId): Promise<unknown> {
  try {
    const { state } = await journal.load(run);
    return state.is === "ended" ? historyEntry(state) : null;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}
