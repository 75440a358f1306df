import { existsSync } from "node:fs";
import { join } from "node:path";
import { lookAtFinished, lookAtReviews } from "../../../app/inspect/look-at-history.ts";
import { type CurrentRun, currentRun, catchUp } from "../../../app/project/current-run.ts";
import type { LocalProject } from "../../../compose/project.ts";
import type { EventHistory } from "../../../schema/api-history.ts";
import type { RunId } from "../../../schema/ids.ts";
import { historyLines } from "../../../views/history.ts";
import { runPhases } from "../../../views/phase-names.ts";
import { reviewLines } from "../../../views/reviews.ts";
import { runsTable } from "../../../views/runs-table.ts";
import { done, flag, type Result, type Run, text, type Values } from "../invocation/verb.ts";
import { openInvokedProject } from "../invocation/project-of.ts";

/** Prints the events of the open or the named run. If there is none, or with --all, the finished runs. */
export const history: Run = async (invocation) => {
  const { values } = invocation;
  const project = openInvokedProject(invocation);
  const named = text(values, "run");
  if (named === undefined && flag(values, "all")) return finished(project, null);
  const current = await currentRun(project, named);
  const { run, state, head } = current;
  if (named === undefined) catchUp(project, current);
  if (run === null) return done(["Nothing has happened here yet."], { events: [] });
  if (flag(values, "reviews")) return reviews(project, { run, state }, named === undefined);
  const all = (): EventHistory => ({ events: project.journal.events(run) });
  if (named === undefined && state.is !== "active") return finished(project, all);
  const from = flag(values, "whole") ? 1 : Math.max(1, head.seq - MAX_SHOWN_EVENTS + 1);
  const shown = project.journal.part(run, { from, most: head.seq });
  return withJson(
    [...earlierLines(from, values), ...historyLines(shown, runPhases(state.is === "none" ? { phases: [] } : state))],
    all,
  );
};

/** Events printed as text. The JSON output contains all of them. */
const MAX_SHOWN_EVENTS = 500;

function earlierLines(from: number, values: Values): string[] {
  const named = text(values, "run");
  const command = ["isdlc history", ...(named === undefined ? [] : [`--run ${named}`]), "--whole"].join(" ");
  return from === 1 ? [] : [`Before these there are ${from - 1} more: ${command}`];
}

/** Reads the JSON data only if it is printed. */
const withJson = (lines: readonly string[], read: () => Readonly<Record<string, unknown>>): Result => ({
  code: 0,
  lines,
  get json() {
    return { ok: true, ...read() };
  },
});

type HistoryRun = Pick<CurrentRun, "state"> & { readonly run: RunId };

/** Lists the review results of a run. With `isAll`, also those of earlier runs of its item. */
async function reviews(project: LocalProject, { run, state }: HistoryRun, isAll: boolean): Promise<Result> {
  const item = state.is === "none" ? null : state.run.item;
  const found = await lookAtReviews(project, run, isAll ? item : null);
  const details = item !== null && isThere(project, item) ? [`Details: ${item}/.review-history.md`] : [];
  return done(
    [...reviewLines(found.reviews, runPhases(state.is === "none" ? { phases: [] } : state)), ...details],
    found,
  );
}

const isThere = ({ root }: LocalProject, item: string): boolean => existsSync(join(root, item, ".review-history.md"));

/** `last` adds the events of the last run to the JSON output, as programs expect. */
async function finished(project: LocalProject, last: (() => EventHistory) | null): Promise<Result> {
  const found = await lookAtFinished(project);
  const newest = found.runs.at(-1);
  const hint = newest === undefined ? [] : ["", `To show one of them: isdlc history --run ${newest.id}`];
  return withJson([...runsTable(found.runs), ...hint], () => ({ ...last?.(), ...found }));
}
