import { existsSync } from "node:fs";
import { join } from "node:path";
import { endedRuns } from "../../../adapters/projections/ended-runs.ts";
import { ownValue } from "../../../core/own-value.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { RunState } from "../../../core/run.ts";
import type { RunId } from "../../../schema/ids.ts";
import { historyLines } from "../../../views/history.ts";
import { reviewLines, reviewsOf } from "../../../views/reviews.ts";
import { type FinishedRun, finishedRun, totalsOf } from "../../../views/metrics.ts";
import { runsTable } from "../../../views/runs-table.ts";
import { historyEntry } from "../../../views/state-file.ts";
import { catchUp } from "../../../app/project/catch-up.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { itemProject, type LocalProject } from "../../../compose/project.ts";
import { projectOf } from "../main/project-of.ts";
import { analysedItems } from "../../../compose/place.ts";
import { done, flag, type Run, text } from "../grammar/verb.ts";

/** Runs in the table; older ones are still there by their id. */
const MAX_RUNS = 100;

/** The events of the open or the named run; without one, or with --all, the finished runs. */
export const history: Run = async (invocation) => {
  const { values } = invocation;
  const project = projectOf(invocation);
  const named = text(values, "run");
  if (named === undefined && flag(values, "all")) return finished(project, {});
  const current = await currentRun(project, named);
  const { run, state } = current;
  if (named === undefined) catchUp(project, current);
  if (run === null) return done(["Nothing has happened here yet."], { events: [] });
  if (flag(values, "reviews")) return reviews(project, { run, state, named });
  const events = project.journal.events(run);
  if (named !== undefined || state.is === "active") return done(historyLines(events), { events });
  return finished(project, { events });
};

type Looked = { readonly run: RunId; readonly state: RunState; readonly named: string | undefined };

/** What reviewers said in the named run; else in every run of the item that the newest run is about. */
function reviews(project: LocalProject, { run, state, named }: Looked) {
  const item = state.is === "none" ? null : state.run.item;
  const others = named === undefined && item !== null ? earlierRuns(project, item) : [];
  const found = [...others.filter((id) => id !== run), run].flatMap((id) => reviewsOf(project.journal.events(id)));
  const details = item !== null && isThere(project, item) ? [`Details: ${item}/.review-history.md`] : [];
  return done([...reviewLines(found), ...details], { reviews: found });
}

/** Finished runs about an item, oldest first. */
function earlierRuns(project: LocalProject, item: string): RunId[] {
  return endedRuns(project.files, join(project.own, "history"), MAX_RUNS)
    .filter(({ entry }) => ownValue(entry, "artifact_folder") === item.slice(item.lastIndexOf("/") + 1))
    .map(({ run }) => run);
}

const isThere = ({ root }: LocalProject, item: string): boolean => existsSync(join(root, item, ".review-history.md"));

/** `more`: what programs get besides; the events of the last run, which they could always ask for like this. */
function finished(project: LocalProject, more: Readonly<Record<string, unknown>>) {
  const runs = finishedRuns(project);
  const last = runs.at(-1);
  const hint = last === undefined ? [] : ["", `What happened in one of them: isdlc history --run ${last.id}`];
  return done([...runsTable(runs), ...hint], { ...more, runs, totals: totalsOf(runs) });
}

/** Of the working tree and of its items, in the order they were started. */
function finishedRuns(project: LocalProject): FinishedRun[] {
  const items = project.item === null ? analysedItems(project).map((item) => itemProject(project, item)) : [];
  return [project, ...items]
    .flatMap((one) =>
      endedRuns(one.files, join(one.own, "history"), MAX_RUNS).map(({ run, entry }) =>
        finishedRun(run, entry ?? fromJournal(one, run), one.item),
      ),
    )
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .slice(-MAX_RUNS);
}

/** What an entry that cannot be read would say; null when the journal does not tell either. */
function fromJournal({ journal }: LocalProject, run: RunId): unknown {
  try {
    const { state } = journal.load(run);
    return state.is === "ended" ? historyEntry(state) : null;
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}
