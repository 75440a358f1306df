import { ProblemError } from "../../../src/core/problem.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { plainLine } from "../../../src/views/plain-text.ts";
import type { LeaseKeeper } from "./leases.ts";

export type CancelRequest = { readonly person: string; readonly reason: string };

const MAX_REASON = 300; // characters

/**
 * Ends a requested run before a worker starts it. A worker that is about to start it is fenced. Returns false if the
 * run has started or ended. @throws ProblemError COMMAND_REFUSED without a reason
 */
export async function cancelAsked(
  { pool }: Pick<LeaseKeeper, "pool">,
  run: RunId,
  { person, reason }: CancelRequest,
): Promise<boolean> {
  if (reason.trim() === "") throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "reasonMissing" } });
  const why = `${person} cancelled it before a worker began it: ${plainLine(reason, MAX_REASON)}`;
  const { rowCount } = await pool.query(
    `update isdlc.run set rests = 'ended', cancelled_by = $2, refused = $3, worker = null, epoch = epoch + 1
     where run = $1 and head_seq = 0 and rests = 'action'`,
    [run, person, why],
  );
  return rowCount === 1;
}

/** Returns the reason why a run without a journal accepts no answer. */
export async function whyNotBegun({ pool }: Pick<LeaseKeeper, "pool">, run: RunId): Promise<ProblemError> {
  const { rows } = await pool.query<{ refused: string | null; cancelled_by: string | null }>(
    "select refused, cancelled_by from isdlc.run where run = $1",
    [run],
  );
  const { refused = null, cancelled_by: by = null } = rows[0] ?? {};
  if (by !== null) return new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "runEnded", how: "cancelled" } });
  if (refused !== null) return new ProblemError({ code: "TEAM_RUN_REFUSED", run, detail: refused });
  return new ProblemError({ code: "NO_RUN", elsewhere: [] });
}
