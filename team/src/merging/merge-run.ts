import type { Outcome } from "../../../src/core/command.ts";
import { commitsBetween } from "../../../src/adapters/git/snapshot/commit-object.ts";
import { changesBetween } from "../../../src/adapters/git/snapshot/tree-diff.ts";
import { currentTicket } from "../../../src/core/next.ts";
import { describe, ProblemError } from "../../../src/core/problem.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import { mergeForm, mergeTarget, type MergeTarget, movedLine } from "../../../src/engine/steps/finish.ts";
import type { Head } from "../../../src/ports/journal.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import type { CommitId, RunId } from "../../../src/schema/ids.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import type { Submission } from "../journal-postgres/submit-decision.ts";
import type { TeamServer } from "../server/team-server.ts";
import { addRecord, subjectLine } from "./add-record.ts";
import { type MergeOrder, mergeOntoBase, type MergeResult, type AcceptedTree } from "./merge-onto-base.ts";
import type { Pool } from "pg";
import { recordDocuments } from "../../../src/engine/steps/item-record.ts";

export type Merger = Pick<TeamServer, "pool" | "journal" | "copies">;

/**
 * Merges a run if its approver chose to, and records the result: merged, asked again, or an escalation. Does nothing
 * for a run without a merge to do. Safe to repeat. @throws ProblemError GIT_FAILED if the remote cannot be read
 */
export async function mergeRun(merger: Merger, run: RunId): Promise<void> {
  const { journal, pool } = merger;
  const { state, head } = await journal.load(run);
  const target = state.is === "active" && state.wait === null ? mergeTarget(state) : null;
  if (state.is !== "active" || target === null) return;
  const { rows } = await pool.query<MergeRow>(
    `select begun_by as author, (select remote from isdlc.repository where name = r.repository) as remote,
       array(select commit from isdlc.merge m where m.run = r.run order by noted_at) as earlier
     from isdlc.run r where run = $1`,
    [run],
  );
  const [row] = rows;
  if (row === undefined || row.remote === null) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const copy = await merger.copies.open(row.remote);
  const events = await journal.events(run);
  const outcome = await performMerge({ ...merger, run: state, head, target, copy, row, events });
  const also: Submission["also"] = async (client) => {
    if (!("merged" in outcome) || outcome.merged === null) return;
    const values = [run, outcome.merged, target.base];
    await client.query(
      `insert into isdlc.merge (run, commit, base, recorded_at) values ($1, $2, $3, now())
       on conflict (run, commit) do update set recorded_at = now()`,
      values,
    );
  };
  const report = { do: "report", ticket: currentTicket(state), outcome } as const;
  await journal.submitAs(run, report, { by: { kind: "server", id: "server" }, also }); // refused if the run advanced concurrently
}

type MergeRow = { readonly author: string; readonly remote: string | null; readonly earlier: readonly CommitId[] };

type MergeContext = Merger & {
  readonly run: ActiveRun;
  readonly head: Head;
  readonly target: MergeTarget;
  readonly copy: RepositoryCopy;
  readonly row: MergeRow;
  readonly events: readonly RunEvent[];
};

async function performMerge(merging: MergeContext): Promise<Outcome> {
  const { run, copy } = merging;
  if (run.tip === null || run.base === null) return askAgain(merging, await readTips(merging));
  try {
    const order = await createOrder(merging, { commit: run.tip, shown: run.base });
    return await toOutcome(merging, await mergeOntoBase(copy, order));
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== "MERGE_CONFLICT") throw error;
    const { what, fix } = describe(error.problem);
    return { of: "finish", failed: "merge_conflict", detail: `${what} ${fix}` };
  }
}

async function createOrder(merging: MergeContext, tips: Pick<MergeOrder, "commit" | "shown">): Promise<MergeOrder> {
  const { pool, run, head, target, row, events } = merging;
  const { branch, base, how } = target;
  const { run: id } = run.run;
  const { author, earlier } = row;
  const at = events.findLast(({ type }) => type === "finish.chosen")?.at ?? run.run.startedAt;
  const { message, isSquash = false } = mergeForm(how, branch, run);
  return {
    run: id,
    branch,
    base,
    ...tips,
    accepted: await findAcceptedTree(pool, run, events),
    isSquash,
    message: subjectLine(message),
    author,
    at,
    earlier,
    addRecord: (copy, commit) => addRecord(copy, { run, how, author, at, head }, commit),
    note: async (commit) => {
      const text = "insert into isdlc.merge (run, commit, base) values ($1, $2, $3) on conflict do nothing";
      await pool.query(text, [id, commit, base]);
    },
  };
}

type MovedResult = Extract<MergeResult, { is: "moved" }>;

async function toOutcome(merging: MergeContext, result: MergeResult): Promise<Outcome> {
  switch (result.is) {
    case "merged":
      return { of: "finish", merged: result.commit };
    case "unchanged":
      return { of: "finish", merged: null };
    case "moved":
      return askAgain(merging, result);
    case "refused": {
      const fix = `Let the server push to ${merging.target.base}, then run "isdlc retry"; or "isdlc skip" to finish with the branch kept.`;
      return { of: "finish", failed: "push_refused", detail: `The remote refused the merge: ${result.detail}. ${fix}` };
    }
    default:
      return result satisfies never;
  }
}

async function readTips({ copy, target }: MergeContext): Promise<MovedResult> {
  const [branch, base] = [`refs/heads/${target.branch}`, `refs/heads/${target.base}`];
  const refs = await copy.fetch([branch, base]);
  return { is: "moved", tip: refs.get(branch) ?? null, base: refs.get(base) ?? null, unaccepted: [] };
}

/** Asks the approver again, with the state of the remote. */
async function askAgain({ run, copy, target }: MergeContext, { tip, base, unaccepted }: MovedResult): Promise<Outcome> {
  const lines = [
    ...(await changeLines(copy, target.branch, { from: run.tip, to: tip })),
    ...(unaccepted.length === 0
      ? []
      : [`${target.branch} is not what was accepted; it differs in: ${unaccepted.join(", ")}`]),
    ...(await changeLines(copy, target.base, { from: run.base, to: base })),
  ];
  const standing = { at: `refs/heads/${target.branch}`, tip, base, settings: {} };
  return { of: "finish", moved: lines.length > 0 ? lines : ["The branches moved during the merge"], standing };
}

type RefChange = { readonly from: CommitId | null; readonly to: CommitId | null };

async function changeLines({ git }: RepositoryCopy, name: string, { from, to }: RefChange): Promise<string[]> {
  if (from === to) return [];
  if (to === null) return [`the remote has no branch ${name}`];
  const commits = await commitsBetween(git, from, to);
  const files = from === null ? null : await changesBetween(git, { from, to });
  const paths = (files ?? []).map(({ path, change }) => `${path} (${change})`);
  return [
    movedLine(name, from, to),
    ...commits.map((commit) => `  ${commit}`),
    ...(paths.length === 0 ? [] : [`  files: ${paths.join(", ")}`]),
  ];
}

/**
 * Returns the tree required at the tip of the run's branch: the one shown at the last accepted phase. A worker made
 * the commit after the gate, and the server compares it. Documents of isdlc and the refined tasks may differ. If the
 * server commits the work at the end, the tip has no work yet. Null if the server itself showed this tip.
 */
async function findAcceptedTree(pool: Pool, run: ActiveRun, events: readonly RunEvent[]): Promise<AcceptedTree | null> {
  if (await isShownByServer(pool, run, events)) return null;
  const tasks = events.flatMap((event) =>
    event.type === "tasks.refined" && event.artifact !== null ? [event.artifact] : [],
  );
  const except = new Set([...recordDocuments(run), ...tasks]);
  const accepted = run.phases.findLast(
    ({ status, dropped, made }) => status === "completed" && !dropped && made !== null,
  );
  const isUncommitted = accepted === undefined || run.run.options.commits === "end";
  const tree = isUncommitted ? run.run.git?.commit : accepted.made?.commitTree;
  return { tree: tree ?? NO_TREE, except };
}

/** Differs from every tree: the approver is asked. */
const NO_TREE = "0".repeat(40);

async function isShownByServer(pool: Pool, { run, tip }: ActiveRun, events: readonly RunEvent[]): Promise<boolean> {
  const asked = events.findLast((event) => event.type === "finish.asked");
  if (asked === undefined || tip === null || asked.standing?.tip !== tip) return false;
  const { rows } = await pool.query<{ sender_kind: string }>(
    "select sender_kind from isdlc.decision where run = $1 and seq <= $2 order by seq desc limit 1",
    [run.run, asked.seq],
  );
  return rows[0]?.sender_kind === "server";
}
