import { forgetSnapshots } from "../../../adapters/git/snapshot/forget-snapshots.ts";
import { createGitRead } from "../../../adapters/git/read/git-read.ts";
import { createGitWrite } from "../../../adapters/git/write/git-write.ts";
import { deleteMergedBranch, keepThenDelete } from "../../../adapters/git/worktree/worktree-branch.ts";
import { mainTreeOf } from "../../../adapters/git/worktree/worktree-location.ts";
import { removeWorktree } from "../../../adapters/git/worktree/worktree-remove.ts";
import { isKeptName } from "../../../core/kept-ref.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type EndedRun, finishOf } from "../../../core/run.ts";
import { shellWord } from "../../../core/shell-word.ts";
import { FEATURES_ROOT } from "../../../engine/steps/feature-record.ts";
import type { Finish } from "../../../schema/plan.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { ask } from "../terminal/ask.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { flag, type Invocation } from "../grammar/verb.ts";

type Asking = Pick<Invocation, "cwd" | "io" | "values">;

/** After a feature was merged or discarded: its working tree and its branch go. Gives what to tell the person. */
export async function cleanUpFeature(
  invocation: Invocation,
  project: LocalProject,
  folder: string,
): Promise<readonly string[]> {
  const { state } = await currentRun(project);
  if (state.is !== "ended" || state.run.item !== `${FEATURES_ROOT}/${folder}`) return [];
  return cleanUpAfter(invocation, project, state);
}

/** The same for a run that has just ended; after any other kind of run, or any other end, only its snapshots go. */
export async function cleanUpAfter(asking: Asking, project: LocalProject, ended: EndedRun): Promise<readonly string[]> {
  if (ended.how === "finished") await forgetSnapshots(project.root, ended.run.run, isKeptName);
  const work = finishedWork(ended);
  const main = work === null ? null : mainTreeOf(project.root);
  if (work === null || main === null) return [];
  const { branch, base } = work;
  const left =
    project.root === main ? await leaveInPlace(main, branch, base) : await removeTree(asking, project, { main, base });
  if (left !== null) return [left];
  const isGone = isBelow(asking.cwd, project.root, main);
  return [...(await removeBranch(main, work)), ...(isGone ? [`Go on in ${plainLine(main)}`] : [])];
}

/** A feature, or work in a tree of its own, that was merged or discarded. */
function finishedWork(ended: EndedRun): Branch | null {
  const { run } = ended;
  const finish = finishOf(ended);
  const { branch = null, base = null } = run.git ?? {};
  if ((finish !== "merge" && finish !== "discard") || branch === null || base === null) return null;
  const isOurs = run.item.startsWith(`${FEATURES_ROOT}/`) || typeof run.worktree === "string";
  return isOurs ? { branch, base, finish } : null;
}

/** What keeps the working tree from being removed; null when it is gone. */
async function removeTree(
  { io, values }: Asking,
  { root }: LocalProject,
  { main, base }: { main: string; base: string },
): Promise<string | null> {
  const request = { path: root, base, cwd: main, unmerged: "stayOnBranch" } as const;
  const first = await removeWorktree(main, request);
  const hasIgnored = !first.ok && first.why === "ignoredFiles";
  const about = hasIgnored ? [first.fix, ...named(first.about)] : [];
  const isAgreed = hasIgnored && (flag(values, "yes") || (await ask(io, "Remove them with the working tree?", about)));
  const removed = isAgreed ? await removeWorktree(main, { ...request, agreedToLose: first.about }) : first;
  if (removed.ok) return null;
  const again = hasIgnored ? [`To remove it with them: isdlc -C ${shellWord(root)} finish --yes`] : [];
  return ["The working tree stays:", removed.fix, ...named(removed.about), ...again].join("\n");
}

const named = (about: readonly string[]): string[] => about.slice(0, 20).map((one) => `  ${plainLine(one)}`);

async function leaveInPlace(main: string, branch: string, base: string): Promise<string | null> {
  const facts = await createGitRead(main).facts();
  if (facts?.branch !== branch) return null;
  const git = createGitWrite(main);
  const tip = await git.tip(base);
  if (tip === null) return `The branch ${branch} stays: there is no ${base} to go back to.`;
  try {
    await git.returnToBranch(base, tip);
    return null;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return `The branch ${branch} stays: ${error.message}`;
  }
}

type Branch = { readonly branch: string; readonly base: string; readonly finish: Finish };

async function removeBranch(main: string, { branch, base, finish }: Branch): Promise<readonly string[]> {
  const deleted =
    finish === "discard" ? await keepThenDelete(main, branch) : await deleteMergedBranch(main, { branch, base });
  if (!deleted.ok) return deleted.why === "noBranch" ? [] : [`The branch ${branch} stays: ${deleted.fix}`];
  return [
    deleted.ref === null ? `Deleted ${branch}, which is merged.` : `Deleted ${branch}; it is kept on ${deleted.ref}.`,
  ];
}

const isBelow = (cwd: string, root: string, main: string): boolean =>
  root !== main && (cwd === root || cwd.startsWith(`${root}/`));
