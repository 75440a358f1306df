import { fetchShown } from "../../../../adapters/git/write/fetch-shown.ts";
import { type TreeComparator, lookAtGate } from "../../../../app/inspect/look-at-gate.ts";
import { repositoryOfProject } from "../../../../compose/moving-place.ts";
import { openProject } from "../../../../compose/project.ts";
import { next } from "../../../../core/next.ts";
import { ProblemError } from "../../../../core/problem.ts";
import type { ActiveRun } from "../../../../core/run.ts";
import { type TeamRunRow, TeamRunList } from "../../../../schema/api-team.ts";
import { namePlanned } from "../../../../views/phase-names.ts";
import { historyLines } from "../../../../views/history.ts";
import { leftBranchLines } from "../../../../views/left-branch.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { reviewLines, listReviews } from "../../../../views/reviews.ts";
import { statusLines, statusObject } from "../../../../views/status.ts";
import { done, flag, type Invocation, type Result } from "../../invocation/verb.ts";
import { items } from "../list-items.ts";
import { diffQuery, gateResult } from "../look.ts";
import { findTeamRepository, signedInClient, type TeamRun } from "./team-run.ts";

export const showStatus = (_invocation: Invocation, { row, state, login: { url } }: TeamRun): Result => {
  const driven = row.worker !== null;
  const head = `Run ${row.run} of the team at ${url}, ${whereabouts(row)}.`;
  const lines = state.is === "none" ? [] : statusLines(state, { driven });
  const kept = row.kept.map((ref) => `Work of a lost worker, which does not count: git fetch origin ${ref}`);
  return done([head, ...lines, ...kept, ...leftBranchLines(row.leftBranch)], {
    run: statusObject(state, { driven }),
    team: row,
  });
};

function whereabouts({ worker, rests, refused, movedTo, cancelledBy, hostSince }: TeamRunRow): string {
  if (movedTo !== null) return `gone to ${plainLine(movedTo, 200)}`;
  if (cancelledBy !== null) return `cancelled: ${plainLine(refused ?? "", 400)}`;
  if (refused !== null) return `could not be started: ${plainLine(refused, 300)}`;
  if (hostSince !== null) return `waiting for the git host since ${plainLine(hostSince, 40)}`;
  if (worker !== null) return `driven by ${worker}`;
  return rests === "action" ? "waiting for a worker" : rests === "wait" ? "waiting for a person" : "ended";
}

/**
 * Shows the gate like that of a local run. Changes are computed from the remote's commits and the trees in the
 * journal.
 */
export const showGate = async (invocation: Invocation, { state, events }: TeamRun): Promise<Result> => {
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const seen = next(state).is === "wait" ? await seenAtRemote(invocation, state) : null;
  const query = { ...diffQuery(invocation.values), events };
  return gateResult(invocation, state, await lookAtGate(seen, state, query));
};

/** Null if this clone cannot fetch the trees: only `--diff` requires them, and throws. */
async function seenAtRemote({ cwd, env, values, io }: Invocation, { run }: ActiveRun): Promise<TreeComparator | null> {
  const project = openProject(cwd, env);
  const { base = null, branch = null } = run.git ?? {};
  try {
    if (base === null || branch === null) return null;
    const fork = await fetchShown(await repositoryOfProject(project), { run: run.run, base, branch });
    return { workspace: project.workspace, vcsWrite: { forkPoint: () => Promise.resolve(fork) } };
  } catch (error) {
    if (!(error instanceof ProblemError) || diffQuery(values).isDiffWanted) throw error;
    io.err(`warning: could not show the changes: ${error.message}`);
    return null;
  }
}

/** Prints the events of the run, or its review results. */
export const showHistory = ({ values }: Invocation, { events, row: { leftBranch } }: TeamRun): Result => {
  if (!flag(values, "reviews")) return done([...historyLines(events), ...leftBranchLines(leftBranch)], { events });
  const reviews = listReviews(events);
  return done(reviewLines(reviews, namePlanned(events)), { reviews });
};

/** Lists the items of this clone, and the team's open runs in the repository. */
export async function teamItems(invocation: Invocation): Promise<Result | null> {
  const project = openProject(invocation.cwd, invocation.env);
  const ask = invocation.words.length === 0 ? signedInClient(project) : null;
  const repository = ask === null ? null : await findTeamRepository(ask, project);
  if (ask === null || repository === null) return null;
  const here = await items(invocation);
  const path = `/api/runs?repository=${encodeURIComponent(repository)}`;
  const { runs } = await ask({ method: "GET", path, answer: TeamRunList });
  const team = runs.filter(({ rests }) => rests !== "ended");
  const lines = team.map((row) => `  ${row.run}  ${plainLine(row.title, 60)} (${whereabouts(row)})`);
  return {
    ...here,
    lines: lines.length === 0 ? here.lines : [...here.lines, "", "In the team:", ...lines],
    json: { ...here.json, team },
  };
}
