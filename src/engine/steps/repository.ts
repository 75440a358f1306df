import type { Outcome } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import { currentPhase, type ActiveRun, type PhaseRecord } from "../../core/run.ts";
import type { CommitResult, EditedDocuments, VcsWrite } from "../../ports/vcs.ts";
import type { FileChange, PhaseOutput } from "../../schema/facts.ts";
import type { CommitId, TreeId } from "../../schema/ids.ts";
import { phaseComplete } from "../../views/reviews.ts";
import type { Engine, Task } from "../engine.ts";
import { unseen } from "./checks.ts";
import { recordFeatureStart, recordPhaseEnd } from "./feature-record.ts";
import { recordAnalysis, recordBuildStart, recordDocuments } from "./item-record.ts";
import { previewCommit, movedSince, treeAtReturn, treeBefore } from "./standing.ts";

/** Checks out the run's branch. */
export async function prepareRun(engine: Engine, { run }: Task): Promise<Outcome> {
  const git = run.run.git;
  if (engine.vcs !== null && git !== null && git.branch !== null)
    await engine.vcs.startBranch(git.branch, git.adopts?.head ?? git.commit);
  engine.projections.makeFolder(run.run.item);
  recordBuildStart(engine, run);
  recordFeatureStart(engine, run);
  return { of: "prepare" };
}

/** Makes one commit per accepted phase, with exactly the accepted tree. */
export async function commitPhase(engine: Engine, { run }: Task): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (phase === undefined) return null;
  recordAnalysis(engine, run);
  await recordPhaseEnd(engine, run);
  if (phase.iterations.length > 0)
    engine.show({ at: "says", step: "commit", attempt: null, text: phaseComplete(phase), usage: null });
  const tree = phase.made?.tree ?? null;
  if (engine.vcs === null || run.run.options.commits !== "phase" || phase.made === null || tree === null)
    return { of: "commit", commit: null };
  const accepted = await acceptedTree(engine, run, { made: phase.made, tree });
  const committed = await commitTree(engine, run, {
    subject: `${phase.rule.name}: ${run.run.title}`,
    body: phase.made.summary,
    attempt: `${run.run.run}/${phase.rule.key}#${phase.attempts}`,
    parent: accepted.parent,
    tree: accepted.tree,
  });
  if (committed.is === "done") return { of: "commit", commit: committed.commit };
  return { of: "commit", differs: await lookAgain(engine, run, { phase, made: phase.made, committed }) };
}

type AcceptedPhase = { readonly made: PhaseOutput; readonly tree: TreeId };

/** Returns the tree that was shown, plus the engine's documents that record its acceptance. */
async function acceptedTree(engine: Engine, run: ActiveRun, { made, tree }: AcceptedPhase) {
  const vcs = engine.vcs as VcsWrite; // the caller checked it
  const parent = made.standing === undefined ? run.tip : made.standing.tip;
  const include = [run.run.item];
  const from = treeBefore(run) ?? tree;
  const { together } = run;
  const request = { onto: parent, from, to: tree, include, together, returned: treeAtReturn(run) };
  const shown = made.commitTree ?? (await vcs.compose(request)).tree;
  const documents = collectDocuments(engine, run, async (records) => {
    recordAnalysis(records, run);
    await recordPhaseEnd(records, run);
  });
  const whole = { onto: shown, from: tree, to: tree, include, documents };
  return { parent, tree: documents.paths.length === 0 ? shown : (await vcs.compose(whole)).tree };
}

/** Writes the engine's documents a second time, in a folder written by nothing else. */
export const collectDocuments = (
  engine: Engine,
  run: ActiveRun,
  write: (engine: Engine) => void | Promise<void>,
): EditedDocuments => ({
  paths: recordDocuments(run),
  edit: (folder) => write({ ...engine, ...engine.recordsIn(folder) }),
});

type CommitRefusal = Exclude<CommitResult, { is: "done" }>;
type DifferingCommit = { readonly phase: PhaseRecord; readonly made: PhaseOutput; readonly committed: CommitRefusal };

/** Collects differences to show before they are accepted: changes by hooks, or a moved branch. */
async function lookAgain(engine: Engine, run: ActiveRun, { phase, made, committed }: DifferingCommit) {
  const name = `${phase.rule.key}-${phase.attempts}-differs`;
  const tree = await engine.workspace.snapshot(name, [run.run.item]);
  const written = (await engine.workspace.diff(made.tree, tree)) ?? [];
  const { mixed: _told, ...beside } = await previewCommit(engine, run, tree);
  const hooked = committed.is === "changed" ? committed.changes : [];
  const edited: FileChange[] = [...new Map([...written, ...hooked].map((change) => [change.path, change])).values()];
  const { standing } = beside;
  const moved = made.standing === undefined || standing === undefined ? [] : movedSince(made.standing, standing, run);
  const by = committed.is === "changed" ? ["Hooks of the repository changed what was to be committed."] : [];
  const unknown = committed.is === "moved" && moved.length === 0 ? ["The branch moved while it was committed to."] : [];
  const results = unseen(edited, [...by, ...moved, ...unknown]);
  const plainTree = committed.is === "changed" ? beside.commitTree : undefined;
  const hooks = committed.is === "changed" && plainTree !== undefined ? { commitTree: committed.tree, plainTree } : {};
  const digest = engine.hash(JSON.stringify({ tree, beside, hooks, results }));
  return { edited, tree, results, digest, ...beside, ...hooks };
}

type Commit = {
  readonly subject: string;
  readonly body: string;
  readonly attempt: string;
  readonly parent: CommitId | null;
  readonly tree: TreeId;
};

/** Commits exactly the given tree onto the run's branch, even if the user checked out another one. */
export async function commitTree(
  engine: Engine,
  run: ActiveRun,
  { subject, body, attempt, parent, tree }: Commit,
): Promise<CommitResult> {
  if (engine.vcs === null) return { is: "done", commit: null };
  const branch = run.run.git?.branch ?? null;
  if (branch !== null && run.tip !== null) await engine.vcs.returnToBranch(branch, run.tip);
  const { head } = await engine.journal.load(run.run.run);
  const message = body === "" ? oneLine(subject) : `${oneLine(subject)}\n\n${body}`;
  const journal = `${head.seq}:${head.hash.slice(0, 16)}`;
  const keep = { run: run.run.run, name: `${attempt}-hooked` };
  return engine.vcs.commit({ message, attempt, journal, branch, parent, tree, keep });
}

/** Error for a failed commit that needs no question to the user. */
export const notCommitted = (what: string): ProblemError =>
  new ProblemError({
    code: "GIT_FAILED",
    command: "commit",
    detail: `${what} was not committed: the branch has moved, or hooks of the repository changed it`,
  });

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 72).trim();
