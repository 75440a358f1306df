import { type RangeToAdopt, readRangeToAdopt } from "../../../adapters/attestation/adopted-range.ts";
import { fetchPullRequest } from "../../../adapters/attestation/fetch-pull-request.ts";
import { historyGit } from "../../../adapters/attestation/history-git.ts";
import { catchUp, currentRun } from "../../../app/project/current-run.ts";
import { nameWork } from "../../../app/start/name-work.ts";
import type { AdoptedRange, RunRequest } from "../../../app/start/run-request.ts";
import { type LocalProject, openProject } from "../../../compose/project.ts";
import { createGitCaller } from "../../../compose/trusted-git-programs.ts";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { ProblemError } from "../../../core/problem.ts";
import { formatCount } from "../../../core/duration.ts";
import type { PhaseRule } from "../../../schema/plan.ts";
import type { RepositoryFacts } from "../../../ports/vcs.ts";
import { runRequest } from "../grammar/run-request.ts";
import { identifyStarter } from "../invocation/caller.ts";
import { type Invocation, type Run, text } from "../invocation/verb.ts";
import { continueRun } from "../terminal/continue-run.ts";
import { startRun } from "../terminal/start-run.ts";
import { recover } from "./begin.ts";
import { makeWorktree } from "./spec/resolve-worktree.ts";

/** Takes work that was done outside of isdlc: runs the checks, asks a reviewer if one is chosen, and opens one gate. */
export const adopt: Run = async (asked) => {
  const project = openProject(asked.cwd, asked.env);
  const open = await currentRun(project);
  const by = await identifyStarter(asked, project, open.state);
  catchUp(project, open);
  if (open.state.is === "active") return recover(asked, project);
  const { invocation, isReviewed } = withoutNone(asked);
  const facts = await repositoryFacts(project);
  const git = await historyGit(project.root, project.env);
  const range = await readRangeToAdopt(git, await namedRange(invocation, project), facts.branch);
  const isElsewhere = range.head !== facts.head;
  await refuseNothing(project, range, isElsewhere);
  const adopts: AdoptedRange = {
    from: range.from,
    head: range.head,
    commits: range.commits.length,
    base: range.base,
    warnings: listWarnings(range),
    isReviewed,
  };
  const title = isElsewhere ? nameElsewhere(invocation, range) : describeWork(range, facts);
  const request = runRequest(invocation, { workflow: "adopt", title, by });
  const wishes = { ...request.wishes, acceptsRedTests: true }; // the gate shows tests that failed before the work, too
  const wanted = { ...request, wishes, adopts };
  const placed = isElsewhere ? await inWorktree(invocation, project, wanted) : { there: project, request: wanted };
  await startRun(invocation, placed.there, placed.request);
  return continueRun(invocation, placed.there);
};

type AdoptionPlan = { readonly there: LocalProject; readonly request: RunRequest };

/** Creates a worktree for commits that are not checked out here: the user's own files stay as they are. */
async function inWorktree(
  invocation: Invocation,
  project: LocalProject,
  request: RunRequest & { readonly adopts: AdoptedRange },
): Promise<AdoptionPlan> {
  const { title, adopts } = request;
  const { definition } = project.workflows.resolve(request.workflow);
  const { branch } = await nameWork({ project, definition, title, run: "", git: true, folder: null });
  const folder = (branch ?? "").replaceAll("/", "-");
  const made = await makeWorktree(invocation, project, { branch: branch ?? "", folder, base: adopts.head });
  const base = { base: adopts.base?.branch ?? null, ...(adopts.base === null ? {} : { baseTip: adopts.base.commit }) };
  const start = { branch: branch ?? "", commit: adopts.from, ...base };
  const adapt = (phases: PhaseRule[]): PhaseRule[] => phases;
  const feature = { mode: "standard", branch: start, worktree: made.worktree, warnings: [], adapt } as const;
  return { there: made.project, request: { ...request, feature } };
}

/** `--reviewer none` is no agent: it removes the review. */
function withoutNone(invocation: Invocation): { readonly invocation: Invocation; readonly isReviewed: boolean } {
  if (text(invocation.values, "reviewer") !== "none") return { invocation, isReviewed: true };
  const { reviewer: _none, ...values } = invocation.values;
  return { invocation: { ...invocation, values }, isReviewed: false };
}

/** Returns the range in the user's words; for a pull request, its commits since the main branch. */
async function namedRange(invocation: Invocation, project: LocalProject): Promise<string | null> {
  const { words, verb, values } = invocation;
  const number = text(values, "pull-request");
  if (words.length > (number === undefined ? 1 : 0))
    throw new ProblemError({ code: "USAGE", detail: "Only one range can be adopted.", usage: verb.usage });
  if (number === undefined) return words[0] ?? null;
  const { root: cwd, env } = project;
  const from = { cwd, remote: "origin", caller: createGitCaller(project) };
  return `..${await fetchPullRequest(await historyGit(cwd, env), from, number)}`;
}

function nameElsewhere({ values }: Invocation, { head }: RangeToAdopt): string {
  const number = text(values, "pull-request");
  return number === undefined ? `work at ${head.slice(0, 12)}` : `pull request ${number}`;
}

type CheckedOut = RepositoryFacts & { readonly head: string };

async function repositoryFacts({ vcs }: LocalProject): Promise<CheckedOut> {
  const facts = await vcs.facts();
  if (facts !== null && facts.head !== null) return { ...facts, head: facts.head };
  throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: "there is no repository with a commit" });
}

async function refuseNothing({ vcs }: LocalProject, { commits }: RangeToAdopt, isElsewhere: boolean): Promise<void> {
  if (commits.length > 0 || (!isElsewhere && (await vcs.dirty([OWN_FOLDER])).length > 0)) return;
  throw new ProblemError({ code: "NOTHING_TO_ADOPT" });
}

/** Names the work by its branch; on the branch into which it is merged, by its size. */
function describeWork({ commits, base }: RangeToAdopt, { branch, head }: CheckedOut): string {
  if (branch !== null && branch !== base?.branch) return branch;
  if (branch === null) return `work at ${head.slice(0, 12)}`;
  return commits.length === 0 ? "uncommitted changes" : `${formatCount(commits.length, "commit")} on ${branch}`;
}

function listWarnings({ commits, base }: RangeToAdopt): string[] {
  const merges = commits.filter(({ parents }) => parents.length > 1).length;
  return [
    ...(merges === 0
      ? []
      : [
          `The range has ${formatCount(merges, "merge commit")}. Verification accepts a merge only if git makes the same one, and no commit that came in with it from a side branch.`,
        ]),
    ...(base === null ? ["The work cannot be merged by isdlc: it does not start at a local main branch."] : []),
  ];
}
