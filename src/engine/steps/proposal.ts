import { isLastPhase, runBegan } from "../../core/changes/last-reviewed-tree.ts";
import { plainText } from "../../core/plain-text.ts";
import { artifactPath } from "../../core/plan.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import type { ComposedTree, PreparedCommit, PrepareRequest, VcsWrite } from "../../ports/vcs.ts";
import type { CommitId, TreeId } from "../../schema/ids.ts";
import type { Engine } from "../engine.ts";
import { TASKS_FILE } from "../prompt.ts";
import { collectDocuments, recordAcceptance, recordFolders } from "./item-record.ts";

/** Content of a commit to propose. */
export type Proposal = {
  /** Snapshot to accept. */
  readonly tree: TreeId;
  readonly onto: CommitId | null;
  /** The run once the phase is accepted. */
  readonly accepted: ActiveRun;
};

/**
 * Composes the tree that accepting the phase commits, with isdlc's own documents as they are once it is accepted. For
 * a run with one commit at its end, returns the current tree of that commit. Null if nothing is committed.
 */
export async function composeProposal(engine: Engine, proposal: Proposal): Promise<ComposedTree | null> {
  const { vcs, workspace } = engine;
  const { tree: to, onto, accepted: run } = proposal;
  const { commits } = run.run.options;
  const from = commits === "end" ? runBegan(run).tree : treeBefore(run);
  if (vcs === null || commits === "none" || from === null) return null;
  if ((await workspace.diff(from, to)) === null) return null; // a snapshot is missing
  const { together } = run;
  const request = { onto, from, to, include: [run.run.item], together, returned: treeAtReturn(run) };
  if (commits === "end") return vcs.compose(request);
  const documents = collectDocuments(engine, run, (records) => recordAcceptance(records, run));
  return vcs.compose({ ...request, also: alsoCommitted(run), documents });
}

/** Paths committed regardless of when they were written: the refined tasks; with the last phase, the item's folder. */
function alsoCommitted(run: ActiveRun): string[] {
  if (isLastPhase(run)) return recordFolders(run);
  return run.refined ? [artifactPath(run.run.item, TASKS_FILE)] : [];
}

/** Creates the commit of a composed tree. No branch moves. The user's hooks and signing apply. */
export const prepareProposal = (vcs: VcsWrite, proposal: Proposal, tree: TreeId): Promise<PreparedCommit> =>
  vcs.prepare(proposedCommit(proposal, tree));

/** Describes the commit. It names the attempt and contains nothing that depends on the answer at the gate. */
export function proposedCommit({ onto, accepted }: Proposal, tree: TreeId): PrepareRequest {
  const { run, since, sinceAt } = accepted;
  const phase = currentPhase(accepted);
  const [key, name, attempts] = [phase?.rule.key ?? "", phase?.rule.name ?? "", phase?.attempts ?? 0];
  return {
    message: commitText(`${name}: ${run.title}`, phase?.made?.summary ?? ""),
    attempt: `${run.run}/${key}#${attempts}`,
    journal: null,
    parent: onto,
    tree,
    at: sinceAt,
    keep: { run: run.run, name: `${key}-${attempts}-commit-${since}` },
  };
}

/** Makes control characters of the title and of the agent's summary visible: git refuses NUL in messages. */
export const commitText = (subject: string, body: string): string =>
  body === "" ? plainText(oneLine(subject)) : `${plainText(oneLine(subject))}\n\n${plainText(body)}`;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 72).trim();

/** Returns the tree to compare for the phase's commit, which also contains uncommitted changes of earlier phases. */
export function treeBefore(run: ActiveRun): TreeId | null {
  const phase = run.phases[run.index];
  return phase?.bases?.commit ?? uncommittedSince(run) ?? phase?.firstTree ?? null;
}

/** Returns the tree before the earlier phases whose changes are in no commit; null if all are committed. */
export function uncommittedSince({ phases, index }: ActiveRun): TreeId | null {
  let from: TreeId | null = null;
  for (const phase of phases.slice(0, index).toReversed()) {
    if (phase.dropped) continue;
    const hasRest = phase.status === "skipped" || (phase.made?.changed ?? []).length > 0;
    if (phase.commit !== null || phase.firstTree === null || !hasRest) break;
    if (phase.bases !== null) return phase.bases.commit; // includes the phases before it
    from = phase.firstTree;
  }
  return from;
}

/** Tree at the return to the current phase; null if the run did not return to it. */
const treeAtReturn = (run: ActiveRun): TreeId | null => currentPhase(run)?.returnTree ?? null;
