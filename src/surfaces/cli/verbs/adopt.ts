import { type RangeToAdopt, readRangeToAdopt } from "../../../adapters/attestation/adopted-range.ts";
import { historyGit } from "../../../adapters/attestation/history-git.ts";
import { catchUp, currentRun } from "../../../app/project/current-run.ts";
import type { AdoptedRange } from "../../../app/start/run-request.ts";
import { type LocalProject, openProject } from "../../../compose/project.ts";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { ProblemError } from "../../../core/problem.ts";
import { formatCount } from "../../../core/duration.ts";
import type { RepositoryFacts } from "../../../ports/vcs.ts";
import { runRequest } from "../grammar/run-request.ts";
import { identifyStarter } from "../invocation/caller.ts";
import { type Invocation, type Run, text } from "../invocation/verb.ts";
import { continueRun } from "../terminal/continue-run.ts";
import { startRun } from "../terminal/start-run.ts";
import { recover } from "./begin.ts";

/** Takes work that was done outside of isdlc: runs the checks, asks a reviewer if one is chosen, and opens one gate. */
export const adopt: Run = async (asked) => {
  const project = openProject(asked.cwd, asked.env);
  const open = await currentRun(project);
  const by = await identifyStarter(asked, project, open.state);
  catchUp(project, open);
  if (open.state.is === "active") return recover(asked, project);
  const { invocation, isReviewed } = withoutNone(asked);
  const facts = await repositoryFacts(project);
  const range = await readRangeToAdopt(
    await historyGit(project.root, project.env),
    readRange(invocation),
    facts.branch,
  );
  await refuseNothing(project, range);
  const adopts: AdoptedRange = {
    from: range.from,
    head: range.head,
    commits: range.commits.length,
    base: range.base,
    warnings: listWarnings(range),
    isReviewed,
  };
  const title = describeWork(range, facts);
  const request = runRequest(invocation, { workflow: "adopt", title, by });
  const wishes = { ...request.wishes, acceptsRedTests: true }; // the gate shows tests that failed before the work, too
  await startRun(invocation, project, { ...request, wishes, adopts });
  return continueRun(invocation, project);
};

/** `--reviewer none` is no agent: it removes the review. */
function withoutNone(invocation: Invocation): { readonly invocation: Invocation; readonly isReviewed: boolean } {
  if (text(invocation.values, "reviewer") !== "none") return { invocation, isReviewed: true };
  const { reviewer: _none, ...values } = invocation.values;
  return { invocation: { ...invocation, values }, isReviewed: false };
}

function readRange({ words, verb }: Invocation): string | null {
  if (words.length <= 1) return words[0] ?? null;
  throw new ProblemError({ code: "USAGE", detail: "Only one range can be adopted.", usage: verb.usage });
}

type CheckedOut = RepositoryFacts & { readonly head: string };

async function repositoryFacts({ vcs }: LocalProject): Promise<CheckedOut> {
  const facts = await vcs.facts();
  if (facts !== null && facts.head !== null) return { ...facts, head: facts.head };
  throw new ProblemError({ code: "GIT_UNAVAILABLE", detail: "there is no repository with a commit" });
}

async function refuseNothing({ vcs }: LocalProject, { commits }: RangeToAdopt): Promise<void> {
  if (commits.length > 0 || (await vcs.dirty([OWN_FOLDER])).length > 0) return;
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
