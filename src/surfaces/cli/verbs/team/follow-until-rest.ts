import { setTimeout as delay } from "node:timers/promises";
import { next } from "../../../../core/next.ts";
import { ProblemError } from "../../../../core/problem.ts";
import { chosenFinish, type RunState } from "../../../../core/run.ts";
import { discardedRef, type TeamRunRow } from "../../../../schema/api-team.ts";
import { leftBranchLines } from "../../../../views/left-branch.ts";
import { openRunLine } from "../../../../views/open-run.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { openChoices } from "../../grammar/choice.ts";
import { done, type Invocation, type Result } from "../../invocation/verb.ts";
import { withSignals } from "../../invocation/signals.ts";
import { restResult } from "../../terminal/continue-run.ts";
import { readTeamRun, type TeamRun } from "./team-run.ts";

const FOLLOW_INTERVAL_MS = 500;

/**
 * Watches a team's run until it waits or ends, and returns the result of a local run. Ctrl-C ends only the watching.
 */
export function followUntilRest(invocation: Invocation, team: TeamRun): Promise<Result> {
  const { io } = invocation;
  return withSignals(async (signal) => {
    for (let told = ""; ;) {
      const { state, row } = await readTeamRun(team);
      if (row.cancelledBy !== null) return cancelledResult(row);
      if (row.choices.length > 0) return openChoices(row.choices);
      if (row.refused !== null) throw new ProblemError({ code: "TEAM_RUN_REFUSED", run: row.run, detail: row.refused });
      const isAtRest = state.is !== "none" && next(state).is !== "action";
      if (isAtRest || signal.aborted) return withTeam(restResult(state, []), row, state);
      const line = progressLine(state, row.worker);
      if (line !== told) io.err(line);
      told = line;
      await delay(FOLLOW_INTERVAL_MS, undefined, { signal }).catch(() => undefined); // aborted
    }
  });
}

/** Returns the result of a run canceled before a worker started it. It has no state. */
function cancelledResult({ run, refused }: TeamRunRow): Result {
  const json = { run: null, team: { run, cancelled: refused } };
  return done([`Cancelled: ${plainLine(refused ?? "", 400)}`, `Of the team: ${run}`], json);
}

function progressLine(state: RunState, worker: string | null): string {
  if (state.is !== "active") return "";
  return worker === null ? "Waiting for a free worker." : openRunLine(state, { driven: true });
}

/** Adds the team's run id. `run` remains the state, as in every JSON output. */
const withTeam = (result: Result, { run, leftBranch }: TeamRunRow, state: RunState): Result => ({
  ...result,
  lines: [...result.lines, ...discardedLines(state, leftBranch), `Of the team: ${run}`],
  json: { ...result.json, team: { run, ...(leftBranch === null ? {} : { leftBranch }) } },
});

/** Reports what the worker did with the branch before it recorded the end. */
function discardedLines(state: RunState, left: TeamRunRow["leftBranch"]): string[] {
  if (left !== null) return leftBranchLines(left);
  const branch = state.is === "ended" && chosenFinish(state) === "discard" ? (state.run.git?.branch ?? null) : null;
  if (branch === null || state.is === "none") return [];
  return [`The worker deleted ${branch} at the remote and keeps it on ${discardedRef(state.run.run)}.`];
}
