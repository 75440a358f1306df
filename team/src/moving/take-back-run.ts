import { next } from "../../../src/core/next.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { waitColumns } from "../journal-postgres/append-decision.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { queueRun } from "../server/drive-queue.ts";
import type { TeamServer } from "../server/team-server.ts";

/**
 * Returns a run to the team if its place is lost, in the state of the team's journal. Later decisions made at that
 * place are not accepted any more. The user and the place are stored with the other changes by admins.
 */
export async function takeBackRun(
  { pool, journal }: TeamServer,
  { run, person }: { readonly run: RunId; readonly person: string },
): Promise<string> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ repository: string; moved_to: string | null; isAway: boolean }>(
      `select repository, moved_to, moved_place is not null as "isAway" from isdlc.run where run = $1 for update`,
      [run],
    );
    const [row] = rows;
    const { state } = await journal.load(run);
    if (row === undefined || state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
    if (!row.isAway)
      throw new ProblemError({
        code: "RUN_NOT_MOVABLE",
        why: "it is the team's",
        fix: `See: isdlc status --run ${run}`,
      });
    const from = row.moved_to ?? "another place";
    await client.query(
      `update isdlc.run set rests = $2, wait_id = $3, wait_kind = $4, phase = $5, worker = null,
         failures = 0, epoch = epoch + 1, moved_place = null, moved_to = null, moved_by = null
       where run = $1`,
      [run, ...waitColumns(state)],
    );
    const change = { what: "take-back", repository: row.repository, run, from };
    await client.query("insert into isdlc.account_change (changed_by, change) values ($1, $2)", [
      person,
      JSON.stringify(change),
    ]);
    if (next(state).is === "action") await queueRun(client, run);
    return from;
  });
}
