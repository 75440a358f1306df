import { pushRunTree } from "../adapters/git/write/carry-run.ts";
import { comeBack, leave, type LeavingRun, leavingRuns, settle } from "../adapters/journal/move-journal.ts";
import type { ServerClient } from "../adapters/remote/server-client.ts";
import { currentRun } from "../app/project/current-run.ts";
import { ProblemError } from "../core/problem.ts";
import { TakenIn } from "../schema/api-moving.ts";
import { LeftTree } from "../schema/api-team.ts";
import type { RunId } from "../schema/ids.ts";
import * as z from "zod/mini";
import { asDriver, movingPlace, placeNumber, repositoryOfProject, requireMovable } from "./moving-place.ts";
import type { LocalProject } from "./project.ts";
import { composedTrees } from "../core/kept-ref.ts";
import { reapOrphans } from "../app/answer/left-in-tree.ts";

/** Data recorded for a run on its way to a team, to continue after an interruption. */
const Journey = z.object({ repository: z.string(), left: LeftTree });

export type SendResult = {
  readonly run: RunId;
  readonly repository: string;
  /** Files with uncommitted changes, included in the snapshots. */
  readonly uncommitted: readonly string[];
};

/**
 * Moves the open run of this tree to a team: first the branch and the snapshots, then the journal. If interrupted
 * anywhere, a repeated call continues. Until then, the run is open here, owned by the team, or on its way and not
 * continued anywhere.
 */
export function sendRun(project: LocalProject, ask: ServerClient, repository: string): Promise<SendResult> {
  const place = movingPlace(project);
  return asDriver(project, async () => {
    const [before] = leavingRuns(place);
    const leaving = before ?? (await leaveTree(project, repository));
    const { run, journey } = leaving;
    await deliver(project, ask, leaving);
    await settle(place, run);
    project.projections.writeActive(null);
    const uncommitted = (await project.vcs.dirty([])).map(({ path }) => path);
    return { run, repository: Journey.parse(journey).repository, uncommitted };
  });
}

async function leaveTree(project: LocalProject, repository: string): Promise<LeavingRun> {
  const { run, state } = await currentRun(project);
  if (run === null || state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const branch = requireMovable(state, (await project.vcs.facts())?.branch ?? null);
  await reapOrphans(project, state);
  const snapshot = await project.workspace(state).now([state.run.item]);
  if (snapshot === null) throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: "the tree cannot be looked at" });
  const carried = { run, branch, snapshot, trees: [...new Set(composedTrees(state))] };
  const left = await pushRunTree(await repositoryOfProject(project), carried);
  return leave(movingPlace(project), run, { repository, left });
}

/**
 * Delivers the journal. If the server refuses it, the run continues here. If the server does not answer, the next call
 * retries.
 */
async function deliver(project: LocalProject, ask: ServerClient, { run, bytes, journey }: LeavingRun): Promise<void> {
  const { repository, left } = Journey.parse(journey);
  const lines = bytes.toString("utf8").split("\n").slice(0, -1);
  const body = { repository, place: placeNumber(project), lines, left };
  try {
    await ask({ method: "POST", path: `/api/runs/${run}/take-in`, body, answer: TakenIn });
  } catch (error) {
    if (isRefusal(error)) await comeBack(movingPlace(project), run);
    throw error;
  }
}

const SERVER_FAILED = 500;

const isRefusal = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.code === "SERVER_REFUSED" && error.problem.status < SERVER_FAILED;
