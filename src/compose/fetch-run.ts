import { randomBytes } from "node:crypto";
import { enterRunTree, fetchRunTree, losesNothing } from "../adapters/git/write/carry-run.ts";
import type { Repository } from "../adapters/git/read/repository.ts";
import { countermark, keepCountermarks, withCountermarks } from "../adapters/files/countermarks.ts";
import { emptyCursor, toHead } from "../adapters/journal/fold.ts";
import { readJournalBytes } from "../adapters/journal/journal-heads.ts";
import { arrive, lastJourney } from "../adapters/journal/move-journal.ts";
import { type ServerClient, readLines } from "../adapters/remote/server-client.ts";
import { currentRun } from "../app/project/current-run.ts";
import { switchOn } from "../app/start/plan-supervision.ts";
import { ProblemError } from "../core/problem.ts";
import type { ActiveRun } from "../core/run.ts";
import { writeProjections } from "../engine/write-projections.ts";
import type { Head, Seal } from "../ports/journal.ts";
import { GoneTo } from "../schema/api-moving.ts";
import { LeftTree } from "../schema/api-team.ts";
import type { RunId } from "../schema/ids.ts";
import { asDriver, movingPlace, placeNumber, repositoryOfProject, staysHere } from "./moving-place.ts";
import type { LocalProject } from "./project.ts";

export type FetchRequest = {
  /** Current state in the team's journal. */
  readonly state: ActiveRun;
  /** True if the team already released the run to this tree, but the call that requested it was interrupted. */
  readonly isOnItsWay: boolean;
  /** Seal to recognize lines of the server. */
  readonly serverSeal: Seal;
  /** Description of this working tree, for users who search for the run. */
  readonly to: string;
};

export type FetchResult = { readonly state: ActiveRun; readonly warnings: readonly string[] };

/**
 * Moves a team's run to this tree. All possible reasons for a refusal are checked before the team releases the run. If
 * interrupted later, a repeated call from this tree continues.
 */
export function fetchRun(project: LocalProject, ask: ServerClient, wanted: FetchRequest): Promise<FetchResult> {
  return asDriver(project, async () => {
    const { run, git } = wanted.state.run;
    const here = await currentRun(project);
    if (here.run === run && here.state.is === "active") return settledIn(project, here.state, here.head);
    const branch = git?.branch ?? null;
    if (branch === null) throw staysHere("it has no branch of its own", "Continue it there.");
    const repository = await repositoryOfProject(project);
    await fetchRunTree(repository, run, branch);
    await requireRoom(project, repository, { wanted, branch });
    const kept = await keepOwnWork(project, wanted);
    const body = { place: placeNumber(project), to: wanted.to };
    const gone = await ask({ method: "POST", path: `/api/runs/${run}/let-go`, body, answer: GoneTo });
    await fetchRunTree(repository, run, branch);
    const { state, bytes, head } = readGone(wanted, gone);
    await enterRunTree(repository, run, gone.left);
    const unlike = await restoreTree(project, state, gone.left);
    keepOwnMarks(project, run, bytes);
    await arrive(movingPlace(project), { run, bytes, head });
    const settled = settledIn(project, state, head);
    return { state, warnings: [...kept, ...unlike, ...settled.warnings] };
  });
}

/**
 * Applies the supervision of the run to this tree's settings. Otherwise, settings of another tree would count as
 * relaxed.
 */
function settledIn(project: LocalProject, state: ActiveRun, head: Head): FetchResult {
  if (state.supervision.enabled) switchOn(project.projections, state.supervision.phases);
  return { state, warnings: writeProjections(project, state, head) };
}

type Room = { readonly wanted: FetchRequest; readonly branch: string };

/**
 * Prevents the loss of user data: refuses if there is another open run, commits on the branch that the team does not
 * have, or uncommitted work. Uncommitted work is accepted if the run left it, or after an interrupted fetch.
 */
async function requireRoom(project: LocalProject, repository: Repository, { wanted, branch }: Room): Promise<void> {
  const own = await currentRun(project);
  if (own.state.is === "active" && own.run !== null)
    throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "runActive", run: own.run } });
  const remote = `refs/remotes/origin/${branch}`;
  if (!(await losesNothing(repository, branch, remote)))
    throw staysHere(`your branch ${branch} has commits that the team does not have`, `git branch -m ${branch} <name>`);
  const dirty = await project.vcs.dirty([]);
  if (dirty.length === 0 || wanted.isOnItsWay || (await isAsItLeft(project, wanted.state))) return;
  throw new ProblemError({ code: "TREE_DIRTY", files: dirty.map(({ path }) => path) });
}

/** Returns true if the tree is unchanged since the run left it. Its changes then belong to the run. */
async function isAsItLeft(project: LocalProject, state: ActiveRun): Promise<boolean> {
  const left = LeftTree.safeParse(lastJourney(movingPlace(project), state.run.run)?.["left"]);
  return left.success && left.data.snapshot === (await project.workspace(state).now([state.run.item]));
}

/**
 * Saves a snapshot if an interrupted call may have left files of the run here, because the user may have edited them
 * since.
 */
async function keepOwnWork(project: LocalProject, { state, isOnItsWay }: FetchRequest): Promise<string[]> {
  if (!isOnItsWay || (await project.vcs.dirty([])).length === 0) return [];
  const name = `before-arrival-${randomBytes(4).toString("hex")}`;
  const kept = await project.workspace(state).snapshot(name, []);
  return [
    `The previous working tree is saved under refs/isdlc/${state.run.run}/${name} (${kept?.slice(0, 12) ?? ""}).`,
  ];
}

/** Verifies every line with the server keys that the user received at sign-in. */
function readGone({ state, serverSeal }: FetchRequest, { lines, countermarks }: GoneTo) {
  const seal = withCountermarks(serverSeal, (hash) => countermarks[hash]);
  const { cursor } = readLines(emptyCursor(state.run.run), lines, seal);
  if (cursor.state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  return { state: cursor.state, bytes, head: toHead(cursor) };
}

/** Countersigns every line, because this machine trusts them from now on, regardless of the sealing key. */
function keepOwnMarks(project: LocalProject, run: RunId, bytes: Buffer): void {
  const { seal, files } = movingPlace(project);
  const { heads } = readJournalBytes(bytes, { run, seal: { ...seal, fits: () => true } });
  const records = heads.map(({ hash }) => ({ hash, countermark: countermark(seal, hash) }));
  keepCountermarks({ directory: project.folders.state, files }, run, records);
}

/** Restores the pushed tree. Returns messages about files that could not be restored. */
async function restoreTree(project: LocalProject, state: ActiveRun, { snapshot }: LeftTree): Promise<string[]> {
  const workspace = project.workspace(state);
  const include = [state.run.item];
  const changes = (await workspace.diff(await workspace.now(include), snapshot)) ?? [];
  try {
    await workspace.restore(
      snapshot,
      changes.map(({ path }) => path),
    );
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "GIT_FAILED") throw error;
    return [error.message];
  }
}
