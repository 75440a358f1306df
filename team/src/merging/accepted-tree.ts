import type { Pool } from "pg";
import type { ActiveRun } from "../../../src/core/run.ts";
import { recordDocuments } from "../../../src/engine/steps/item-record.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import type { AcceptedTree } from "./merge-onto-base.ts";

/**
 * Returns the tree required at the tip of the run's branch: the one shown at the last accepted phase. A worker made
 * the commit after the gate, and the server compares it. Documents of isdlc and the refined tasks may differ. If the
 * server commits the work at the end, the tip has no work yet. Null if the server itself showed this tip.
 */
export async function findAcceptedTree(
  pool: Pool,
  run: ActiveRun,
  events: readonly RunEvent[],
): Promise<AcceptedTree | null> {
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
