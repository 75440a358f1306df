import type { Outcome } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import { currentPhase, type ActiveRun } from "../../core/run.ts";
import type { VcsWrite } from "../../ports/vcs.ts";
import { phaseComplete } from "../../views/reviews.ts";
import type { Engine } from "../engine.ts";
import type { Task } from "../perform.ts";
import { recordFeatureEnd, recordFeatureStart, recordPhaseEnd } from "./feature-record.ts";
import { recordAnalysis, recordBuildEnd, recordBuildStart, recordFiles } from "./item-record.ts";
import { snapshotGone } from "./snapshot-gone.ts";

/** Puts the run on its branch. */
export async function prepareRun(engine: Engine, { run }: Task): Promise<Outcome> {
  const git = run.run.git;
  if (engine.vcs !== null && git !== null && git.branch !== null) await engine.vcs.startBranch(git.branch, git.commit);
  engine.projections.makeFolder(run.run.item);
  recordBuildStart(engine, run);
  recordFeatureStart(engine, run);
  return { of: "prepare" };
}

/** One commit per accepted phase, of just what changed since the phase was entered. */
export async function commitPhase(engine: Engine, { run }: Task): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (phase === undefined) return null;
  recordAnalysis(engine, run);
  await recordPhaseEnd(engine, run);
  if (phase.iterations.length > 0)
    engine.show({ at: "says", step: "commit", attempt: null, text: phaseComplete(phase), usage: null });
  if (run.run.options.commits !== "phase") return { of: "commit", commit: null };
  const subject = `${phase.rule.name}: ${run.run.title}`;
  const request = {
    subject,
    body: phase.made?.summary ?? "",
    attempt: `${run.run.run}/${phase.rule.key}#${phase.attempts}`,
  };
  return { of: "commit", commit: await commitSince(engine, run, { ...request, from: phase.firstTree }) };
}

/** Ends the run the chosen way. A pull request is the person's to open: we never push. */
export async function finishRun(engine: Engine, { run }: Task): Promise<Outcome> {
  const how = run.stage.is === "finishing" ? (run.stage.how ?? "keep") : "keep";
  const branches = how === "merge" ? branchesOf(run) : null;
  const conflict = branches === null ? null : await conflictOf(engine, branches);
  await leaveBase(engine, run);
  recordAnalysis(engine, run);
  if (conflict !== null) {
    await commitRecord(engine, run, "unmerged");
    throw conflict;
  }
  recordBuildEnd(engine, run);
  recordFeatureEnd(engine, run, how);
  await commitRecord(engine, run, "record");
  if (run.run.options.commits === "end") {
    const request = { subject: run.run.title, body: "", attempt: `${run.run.run}/end` };
    await commitSince(engine, run, { ...request, from: run.phases[0]?.firstTree ?? null, also: recordFiles(run) });
  }
  if (branches === null || engine.vcs === null) return { of: "finish", merged: null };
  const message = `Merge ${branches.branch}: ${run.run.title}`;
  return { of: "finish", merged: await engine.vcs.merge({ ...branches, message }) };
}

/** After a crash in the middle of the merge the tree may be on the base: what is recorded belongs to the branch. */
async function leaveBase({ vcs }: Engine, run: ActiveRun): Promise<void> {
  if (vcs !== null && run.run.options.commits !== "none") await returnToBranch(vcs, run, lastCommit(run));
}

/** Nothing is said to be done that cannot be merged; the documents are committed all the same. */
async function conflictOf(engine: Engine, branches: Branches): Promise<ProblemError | null> {
  try {
    await engine.vcs?.prepareMerge(branches);
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
}

function commitRecord(engine: Engine, run: ActiveRun, name: string): Promise<string | null> {
  const subject = `Item record: ${run.run.title}`;
  return commitPaths(engine, run, { subject, attempt: `${run.run.run}/${name}`, paths: recordFiles(run) });
}

type Branches = { readonly branch: string; readonly base: string };

/** What is merged into what; null where the run has no branch of its own. */
function branchesOf({ run }: ActiveRun): Branches | null {
  const { branch = null, base = null } = run.git ?? {};
  return branch === null || base === null ? null : { branch, base };
}

type Since = {
  readonly subject: string;
  readonly body: string;
  readonly attempt: string;
  readonly from: string | null;
  /** Files and folders that belong to it whenever they were changed. */
  readonly also?: readonly string[];
};

async function commitSince(
  engine: Engine,
  run: ActiveRun,
  { from, also = [], ...rest }: Since,
): Promise<string | null> {
  if (engine.vcs === null) return null;
  const changed = await engine.workspace.changedSince(from, [run.run.item]);
  if (changed === null && from !== null) throw snapshotGone("what is to be committed");
  return commitNow(engine, run, { ...rest, paths: [...(changed ?? []), ...also] });
}

type Commit = {
  readonly subject: string;
  readonly body: string;
  readonly attempt: string;
  readonly paths: readonly string[];
};

/** A commit of its own for what is not a phase, where phases are committed at all. */
export async function commitPaths(
  engine: Engine,
  run: ActiveRun,
  commit: Omit<Commit, "body">,
): Promise<string | null> {
  return run.run.options.commits === "phase" ? commitNow(engine, run, { ...commit, body: "" }) : null;
}

async function commitNow(
  engine: Engine,
  run: ActiveRun,
  { subject, body, attempt, paths }: Commit,
): Promise<string | null> {
  if (engine.vcs === null) return null;
  const since = lastCommit(run);
  await returnToBranch(engine.vcs, run, since);
  const { head } = await engine.journal.load(run.run.run);
  const message = body === "" ? oneLine(subject) : `${oneLine(subject)}\n\n${body}`;
  const tracked = paths.filter((path) => !path.startsWith(".isdlc/"));
  const journal = `${head.seq}:${head.hash.slice(0, 16)}`;
  return engine.vcs.commit({ message, attempt, journal, paths: tracked, since });
}

/** Where the run's branch is known to have come. */
const lastCommit = ({ run, phases }: ActiveRun): string | null =>
  phases.findLast(({ commit }) => commit !== null)?.commit ?? run.git?.commit ?? null;

/** Whoever switched branches meanwhile: the run's commits go onto its own branch, or nowhere. */
async function returnToBranch(vcs: VcsWrite, { run }: ActiveRun, last: string | null): Promise<void> {
  const branch = run.git?.branch ?? null;
  if (branch !== null && last !== null) await vcs.returnToBranch(branch, last);
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 72).trim();
