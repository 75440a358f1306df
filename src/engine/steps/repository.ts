import type { Outcome } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import { currentPhase, type ActiveRun, type PhaseRecord } from "../../core/run.ts";
import type { CommitResult, VcsWrite } from "../../ports/vcs.ts";
import type { FileChange, PhaseOutput } from "../../schema/facts.ts";
import type { CommitId, TreeId } from "../../schema/ids.ts";
import { phaseComplete } from "../../views/reviews.ts";
import type { Engine, Task } from "../engine.ts";
import { unseen } from "./checks.ts";
import { recordFeatureStart } from "./feature-record.ts";
import { recordAcceptance, recordBuildStart } from "./item-record.ts";
import { commitText, composeProposal, type Proposal, proposedCommit } from "./proposal.ts";
import { snapshotGone } from "./review-writes.ts";
import { movedSince, scanForGate } from "./standing.ts";
import { whenAccepted } from "../../core/evolve/when-accepted.ts";

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

/** Moves the branch to the commit that was created before the phase was accepted. */
export async function commitPhase(engine: Engine, { run }: Task): Promise<Outcome | null> {
  const phase = currentPhase(run);
  if (phase === undefined) return null;
  await recordAcceptance(engine, run);
  if (phase.iterations.length > 0)
    engine.show({ at: "says", step: "commit", attempt: null, text: phaseComplete(phase), usage: null });
  const { made } = phase;
  const tree = made?.tree ?? null;
  if (engine.vcs === null || run.run.options.commits !== "phase" || made === null || tree === null)
    return { of: "commit", commit: null };
  const branch = await returnToBranch(engine.vcs, run);
  const parent = made.standing === undefined ? run.tip : made.standing.tip;
  const { proposedCommit: commit } = made;
  const committed =
    commit === undefined
      ? await commitLate(engine, engine.vcs, { tree, onto: parent, accepted: run })
      : await engine.vcs.advance({ branch, parent, commit });
  if (committed.is === "done") return { of: "commit", commit: committed.commit };
  return { of: "commit", differs: await lookAgain(engine, run, { phase, made, committed }) };
}

/** Creates the commit now: files were reverted at the gate, or an earlier version opened it. */
async function commitLate(engine: Engine, vcs: VcsWrite, proposal: Proposal): Promise<CommitResult> {
  const { accepted } = proposal;
  const composed = await composeProposal(engine, proposal);
  if (composed === null) throw snapshotGone("the phase");
  const branch = accepted.run.git?.branch ?? null;
  return vcs.commit({ ...proposedCommit(proposal, composed.tree), branch });
}

/** Checks out the run's branch, if the user checked out another one. Returns its name; null if the run has none. */
async function returnToBranch(vcs: VcsWrite, { run, tip }: ActiveRun): Promise<string | null> {
  const branch = run.git?.branch ?? null;
  if (branch !== null && tip !== null) await vcs.returnToBranch(branch, tip);
  return branch;
}

type CommitRefusal = Exclude<CommitResult, { is: "done" }>;
type DifferingCommit = { readonly phase: PhaseRecord; readonly made: PhaseOutput; readonly committed: CommitRefusal };

/** Collects differences to show before they are accepted: changes by hooks, or a moved branch. */
async function lookAgain(engine: Engine, run: ActiveRun, { phase, made, committed }: DifferingCommit) {
  const name = `${phase.rule.key}-${phase.attempts}-differs`;
  const accepted = whenAccepted(run, { made, failures: [] });
  const { tree, mixed: _told, ...beside } = await scanForGate(engine, run, { name, accepted });
  const written = (await engine.workspace.diff(made.tree, tree)) ?? [];
  const hooked = committed.is === "changed" ? committed.changes : [];
  const edited: FileChange[] = [...new Map([...written, ...hooked].map((change) => [change.path, change])).values()];
  const { standing } = beside;
  const moved = made.standing === undefined || standing === undefined ? [] : movedSince(made.standing, standing, run);
  const by = committed.is === "changed" ? ["Hooks of the repository changed what was to be committed."] : [];
  const unknown = committed.is === "moved" && moved.length === 0 ? ["The branch moved while it was committed to."] : [];
  const results = unseen(edited, [...by, ...moved, ...unknown]);
  const digest = engine.hash(JSON.stringify({ tree, beside, results }));
  return { edited, tree, results, digest, ...beside };
}

type Commit = {
  readonly subject: string;
  readonly attempt: string;
  readonly parent: CommitId | null;
  readonly tree: TreeId;
};

/** Commits exactly the given tree onto the run's branch, even if the user checked out another one. */
export async function commitTree(
  engine: Engine,
  run: ActiveRun,
  { subject, attempt, parent, tree }: Commit,
): Promise<CommitResult> {
  if (engine.vcs === null) return { is: "done", commit: null };
  const branch = await returnToBranch(engine.vcs, run);
  const { head } = await engine.journal.load(run.run.run);
  const journal = `${head.seq}:${head.hash.slice(0, 16)}`;
  const keep = { run: run.run.run, name: `${attempt}-commit` };
  const message = commitText(subject, "");
  return engine.vcs.commit({ message, attempt, journal, branch, parent, tree, at: run.sinceAt, keep });
}

/** Error for a failed commit that needs no question to the user. */
export const notCommitted = (what: string): ProblemError =>
  new ProblemError({
    code: "GIT_FAILED",
    command: "commit",
    detail: `${what} was not committed: the branch has moved, or hooks of the repository changed it`,
  });
