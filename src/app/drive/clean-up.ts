import { isKeptName } from "../../core/kept-ref.ts";
import { ProblemError } from "../../core/problem.ts";
import { type EndedRun, chosenFinish, mergedAs } from "../../core/run.ts";
import type { Finish } from "../../schema/plan.ts";
import { plainLine } from "../../views/plain-text.ts";
import type { Project } from "../project/project.ts";
import { shellWord } from "../../core/command-line.ts";

/** Caller of the cleanup. */
export type CleaningUp = {
  /** The caller's folder, to report its removal; null if the caller is in none. */
  readonly cwd: string | null;
  /** Asks for consent to lose these ignored files with their working tree. */
  readonly mayLose: (about: readonly string[]) => Promise<boolean>;
};

/**
 * Cleans up after an ended run: removes its snapshots and, after a merge or discard, its branch and its separate
 * working tree. Returns messages for the user.
 */
export async function cleanUp(project: Project, ended: EndedRun, cleaning: CleaningUp): Promise<readonly string[]> {
  const { worktrees } = project;
  if (ended.how === "finished") await worktrees.forgetSnapshots(ended.run.run, isKeptName);
  const work = finishedWork(ended);
  const main = work === null ? null : worktrees.main();
  if (work === null || main === null) return [];
  const { branch, base } = work;
  const isMain = project.root === main;
  const left = isMain ? await leaveInPlace(project, branch, base) : await removeTree(project, cleaning, { main, base });
  if (left !== null) return [left];
  const isGone = !isMain && cleaning.cwd !== null && isBelow(cleaning.cwd, project.root);
  return [...(await removeBranch(project, work)), ...(isGone ? [`Continue in ${plainLine(main)}`] : [])];
}

/** Returns the branch of a merged or discarded run of any workflow. */
function finishedWork(ended: EndedRun): Branch | null {
  const { run } = ended;
  const finish = chosenFinish(ended);
  const { branch = null, base = null } = run.git ?? {};
  const isOver = finish === "merge" || finish === "squash" || finish === "discard";
  if (!isOver || branch === null || base === null) return null;
  return { branch, base, finish, isMerged: mergedAs(ended) !== null };
}

/** Removes the working tree. Returns the reason if it stays, else null. */
async function removeTree(
  { root, worktrees }: Project,
  { mayLose }: CleaningUp,
  { main, base }: { main: string; base: string },
): Promise<string | null> {
  const request = { path: root, base, cwd: main, unmerged: "stayOnBranch" } as const;
  const first = await worktrees.remove(request);
  const hasIgnored = !first.ok && first.why === "ignoredFiles";
  const about = hasIgnored ? [first.fix, ...named(first.about)] : [];
  const isAgreed = hasIgnored && (await mayLose(about));
  const removed = isAgreed ? await worktrees.remove({ ...request, agreedToLose: first.about }) : first;
  if (removed.ok) return null;
  const again = hasIgnored ? [`To remove it with them: isdlc -C ${shellWord(root)} finish --yes`] : [];
  return ["The working tree stays:", removed.fix, ...named(removed.about), ...again].join("\n");
}

const named = (about: readonly string[]): string[] => about.slice(0, 20).map((one) => `  ${plainLine(one)}`);

async function leaveInPlace({ vcs, vcsWrite }: Project, branch: string, base: string): Promise<string | null> {
  const facts = await vcs.facts();
  if (facts?.branch !== branch) return null;
  const tip = await vcsWrite.tip(base);
  if (tip === null) return `The branch ${branch} stays: there is no ${base} to go back to.`;
  try {
    await vcsWrite.returnToBranch(base, tip);
    return null;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return `The branch ${branch} stays: ${error.message}`;
  }
}

type Branch = {
  readonly branch: string;
  readonly base: string;
  readonly finish: Finish;
  readonly isMerged: boolean;
};

async function removeBranch(
  { worktrees }: Project,
  { branch, base, finish, isMerged }: Branch,
): Promise<readonly string[]> {
  const deleted =
    finish === "merge" ? await worktrees.deleteMerged({ branch, base }) : await worktrees.keepThenDelete(branch);
  if (!deleted.ok) return deleted.why === "noBranch" ? [] : [`The branch ${branch} stays: ${deleted.fix}`];
  return [
    deleted.ref === null
      ? `Deleted ${branch}, which is ${isMerged ? "merged" : `no different from ${base}`}.`
      : `Deleted ${branch}; it is kept on ${deleted.ref}.`,
  ];
}

const isBelow = (cwd: string, root: string): boolean => cwd === root || cwd.startsWith(`${root}/`);
