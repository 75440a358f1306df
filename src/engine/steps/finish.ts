import type { Outcome } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import { runBegan } from "../../core/changes/last-reviewed-tree.ts";
import type { ActiveRun } from "../../core/run.ts";
import type { CommitResult, MergeRequest, VcsWrite } from "../../ports/vcs.ts";
import type { RepositoryStanding } from "../../schema/facts.ts";
import { type CommitId, treeAt } from "../../schema/ids.ts";
import type { Finish } from "../../schema/plan.ts";
import type { Engine, Task } from "../engine.ts";
import { recordFeatureEnd } from "./feature-record.ts";
import { collectDocuments, recordAnalysis, recordBuildEnd, recordFolders, type Records } from "./item-record.ts";
import { commitTree } from "./repository.ts";
import { short, readRepositoryStanding } from "./standing.ts";

/**
 * Ends the run as the user chose. isdlc never pushes; the user opens a pull request. Returns null if a server merged
 * the run.
 */
export async function finishRun(engine: Engine, { run }: Task): Promise<Outcome | null> {
  const how = run.stage.is === "finishing" ? (run.stage.how ?? "keep") : "keep";
  const { vcs } = engine;
  const target = mergeTarget(run);
  if (target !== null && engine.requestMerge !== undefined) {
    await engine.requestMerge();
    return null;
  }
  if (vcs === null || run.run.options.commits === "none") {
    writeRecords(engine, run, how);
    return { of: "finish", merged: null };
  }
  const standing = await readRepositoryStanding(engine, run);
  if (standing !== undefined && strayedHead(run, standing).length > 0) return askAgain(engine, run, []);
  if (target === null) {
    const moved = await commitRecord(engine, run, how);
    return moved === null ? { of: "finish", merged: null } : askAgain(engine, run, [moved]);
  }
  return mergeRun(engine, run, { vcs, ...target });
}

export type MergeTarget = Branches & { readonly how: "merge" | "squash" };

/** Branches of a merge that was chosen and not done; null if nothing is to be merged. */
export function mergeTarget(run: ActiveRun): MergeTarget | null {
  const how = run.stage.is === "finishing" ? run.stage.how : null;
  if ((how !== "merge" && how !== "squash") || run.run.options.commits === "none") return null;
  const branches = findBranches(run);
  return branches === null ? null : { ...branches, how };
}

type Branches = { readonly branch: string; readonly base: string };
type MergeContext = Branches & { readonly vcs: VcsWrite; readonly how: Finish };

/** Returns null if the run has no branch of its own. */
function findBranches({ run }: ActiveRun): Branches | null {
  const { branch = null, base = null } = run.git ?? {};
  return branch === null || base === null ? null : { branch, base };
}

/**
 * Reports a HEAD in an unexpected place. Expected are the run's branch, its base (an interrupted merge may have left
 * it there), and the place already shown to the user.
 */
function strayedHead(run: ActiveRun, { at }: RepositoryStanding): string[] {
  const branches = findBranches(run);
  if (branches === null || (run.stage.is === "finishing" && run.stage.seenAt === at)) return [];
  const { branch, base } = branches;
  if (at === `${HEADS}${branch}` || at === `${HEADS}${base}`) return [];
  const where = at.startsWith(HEADS) ? `on the branch ${at.slice(HEADS.length)}` : `detached at ${short(at)}`;
  return [`HEAD is no longer on ${branch}: it is ${where}`];
}

const HEADS = "refs/heads/";

/** Merges exactly the commit recorded by the run onto exactly the base that was shown. */
async function mergeRun(engine: Engine, run: ActiveRun, { vcs, branch, base, how }: MergeContext): Promise<Outcome> {
  const { tip: recorded, base: onto } = run;
  const [tip, baseTip] = [await vcs.tip(branch), await vcs.tip(base)];
  if (recorded === null || onto === null || tip === null || baseTip === null)
    return askAgain(engine, run, [`${tip === null ? branch : base} is gone`]);
  const request = { branch, base, commit: tip, onto, ...mergeForm(how, branch, run) };
  if (baseTip !== onto)
    return (await vcs.isMerged(request))
      ? merged(engine, run, request)
      : askAgain(engine, run, [movedLine(base, onto, baseTip)]);
  const conflict = await findConflict(vcs, request);
  await vcs.returnToBranch(branch, recorded);
  const moved = await commitRecord(engine, run, conflict === null ? how : null);
  if (moved !== null) return askAgain(engine, run, [moved]);
  if (conflict !== null) throw conflict;
  return merged(engine, run, { ...request, commit: (await vcs.tip(branch)) ?? recorded });
}

/** A merge commit names the branch, a squash commit names the work. */
export const mergeForm = (
  how: Finish,
  branch: string,
  { run }: ActiveRun,
): Pick<MergeRequest, "message" | "isSquash"> =>
  how === "squash"
    ? { message: run.title, isSquash: true }
    : { message: `Merge ${branch}: ${run.title}`, isSquash: false };

async function merged(engine: Engine, run: ActiveRun, request: MergeRequest): Promise<Outcome> {
  // Objects of unchanged files, too: something else may have been stored under their ids since they were tested.
  await engine.workspace.verify(null, treeAt(request.commit));
  const outcome = await (engine.vcs as VcsWrite).merge(request); // the caller checked it
  // If the result is the old base, the branch had nothing to merge.
  if (outcome.is === "merged") return { of: "finish", merged: outcome.commit === request.onto ? null : outcome.commit };
  if (outcome.is === "moved") return askAgain(engine, run, ["Something changed during the merge, so it was undone."]);
  const files = outcome.changes.map(({ path, change }) => `${path} (${change})`).join(", ");
  throw new ProblemError({
    code: "GIT_FAILED",
    command: "merge",
    detail: `hooks of the repository changed what was to be merged, so it was taken back: ${files}`,
  });
}

export const movedLine = (name: string, from: string | null, to: string | null): string =>
  `${name} moved from ${short(from)} to ${short(to)}`;

/** Asks the finish question again and lists the differences, because only what was shown may be merged. */
async function askAgain(engine: Engine, run: ActiveRun, lines: readonly string[]): Promise<Outcome> {
  const standing = await readRepositoryStanding(engine, run);
  if (standing === undefined || engine.vcs === null) throw new Error("a run without git has nothing that moves");
  const { branch = "the branch", base = "the base" } = findBranches(run) ?? {};
  const brought = async (name: string, from: string | null, to: string | null): Promise<string[]> => {
    if (from === to || to === null || engine.vcs === null) return [];
    const commits = await engine.vcs.commitsBetween(from, to);
    const files = await engine.workspace.diff(from, to);
    const paths = (files ?? []).map(({ path, change }) => `${path} (${change})`);
    return [
      movedLine(name, from, to),
      ...commits.map((commit) => `  ${commit}`),
      ...(paths.length === 0 ? [] : [`  files: ${paths.join(", ")}`]),
    ];
  };
  const told = [
    ...strayedHead(run, standing),
    ...(await brought(branch, run.tip, standing.tip)),
    ...(await brought(base, run.base, standing.base)),
  ];
  return { of: "finish", moved: told.length > 0 ? told : lines, standing };
}

/** Finds a merge conflict before the documents record the work as done. They are committed in either case. */
async function findConflict(vcs: VcsWrite, request: Omit<MergeRequest, "message">): Promise<ProblemError | null> {
  try {
    await vcs.prepareMerge(request);
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

/** Records in the documents how the run ends. `how` is null if it does not end yet. */
export function writeRecords(engine: Records, run: ActiveRun, how: Finish | null): void {
  recordAnalysis(engine, run);
  if (how === null) return;
  recordBuildEnd(engine, run);
  recordFeatureEnd(engine, run, how);
}

type RecordCommit = { readonly how: Finish | null; readonly parent: CommitId | null };

/**
 * Makes one commit of the documents, and of the work if phases have no commits of their own. Returns a message if the
 * branch moved.
 */
async function commitRecord(engine: Engine, run: ActiveRun, how: Finish | null): Promise<string | null> {
  writeRecords(engine, run, how);
  const first = await recordOnto(engine, run, { how, parent: run.tip });
  if (first.is === "done") return null;
  // A failed earlier try may have committed the record without an end. This is not a move by someone else.
  const earlier = how === null ? first : await recordOnto(engine, run, { how: null, parent: run.tip });
  if (earlier.is === "done" && earlier.commit !== null) {
    const second = await recordOnto(engine, run, { how, parent: earlier.commit });
    if (second.is === "done") return null;
  }
  if (first.is === "moved") return `${run.run.git?.branch ?? "HEAD"} has moved`;
  const files = first.changes.map(({ path }) => path).join(", ");
  const detail = `hooks of the repository changed the item's record (${files}), so it was taken back`;
  throw new ProblemError({ code: "GIT_FAILED", command: "commit", detail });
}

async function recordOnto(engine: Engine, run: ActiveRun, { how, parent }: RecordCommit): Promise<CommitResult> {
  const start = runBegan(run).tree;
  const to = run.phases.map(({ made }) => made?.tree ?? null).findLast((tree) => tree !== null) ?? start;
  if (engine.vcs === null || to === null) return { is: "done", commit: null };
  const isWhole = run.run.options.commits === "end" && how !== null;
  const { tree } = await engine.vcs.compose({
    onto: parent,
    from: isWhole ? (start ?? to) : to,
    to,
    include: [run.run.item],
    also: recordFolders(run),
    together: run.together,
    documents: collectDocuments(engine, run, (records) => writeRecords(records, run, how)),
  });
  const subject = isWhole ? run.run.title : `Item record: ${run.run.title}`;
  const attempt = `${run.run.run}/${finishName(how, isWhole)}`;
  return commitTree(engine, run, { subject, attempt, parent, tree });
}

const finishName = (how: Finish | null, isWhole: boolean): string =>
  how === null ? "unmerged" : isWhole ? "end" : "record";
