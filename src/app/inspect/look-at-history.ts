import { ownValue } from "../../core/own-value.ts";
import { ProblemError } from "../../core/problem.ts";
import type { EventHistory, FinishedRun, FinishedRuns, ReviewHistory } from "../../schema/api-history.ts";
import type { RunId } from "../../schema/ids.ts";
import { finishedRun, computeTotals } from "../../views/metrics.ts";
import { listReviews } from "../../views/reviews.ts";
import { historyEntry } from "../../views/state-file/state-file.ts";
import type { Project } from "../project/project.ts";

/** Maximum number of listed runs. Older ones are available by id. */
const MAX_LISTED_RUNS = 100;

type HistorySources = Pick<Project, "item" | "journal" | "projections">;

export async function lookAtEvents({ journal }: Pick<Project, "journal">, run: RunId): Promise<EventHistory> {
  return { events: await journal.events(run) };
}

/** Lists the reviews of a run; with an item, also those of its earlier finished runs. */
export async function lookAtReviews(project: HistorySources, run: RunId, item: string | null): Promise<ReviewHistory> {
  const earlier = item === null ? [] : runsAbout(project, item).filter((id) => id !== run);
  const events = await Promise.all([...earlier, run].map(async (id) => project.journal.events(id)));
  return { reviews: events.flatMap(listReviews) };
}

/** Lists the finished runs of the working tree and its items; for an item, only its own. */
export async function lookAtFinished(project: HistorySources & Pick<Project, "siblings">): Promise<FinishedRuns> {
  const items = project.item === null ? project.siblings() : [];
  const found = await Promise.all([project, ...items].map(finishedIn));
  const runs = found
    .flat()
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .slice(-MAX_LISTED_RUNS);
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
  projections.endedRuns().slice(-MAX_LISTED_RUNS);

/** Lists runs of an item, oldest first. */
const runsAbout = (project: Pick<Project, "projections">, item: string): readonly RunId[] =>
  newest(project).filter((run) => ownValue(project.projections.endedEntry(run), "artifact_folder") === itemName(item));

const itemName = (item: string): string => item.slice(item.lastIndexOf("/") + 1);

/** Rebuilds an unreadable entry from the journal; null if the journal is unreadable, too. */
async function fromJournal({ journal }: Pick<Project, "journal">, run: RunId): Promise<unknown> {
  try {
    const { state } = await journal.load(run);
    return state.is === "ended" ? historyEntry(state) : null;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}
