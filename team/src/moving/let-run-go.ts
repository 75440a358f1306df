import { ProblemError } from "../../../src/core/problem.ts";
import type { GoneTo, LetGo } from "../../../src/schema/api-moving.ts";
import type { LeftTree } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import type { TeamServer } from "../server/team-server.ts";

export type LetGoRequest = { readonly run: RunId; readonly person: string; readonly wanted: LetGo };

type HeadRow = {
  readonly head_seq: number;
  readonly rests: "action" | "wait" | "ended";
  readonly worker: string | null;
  readonly left_tree: LeftTree | null;
  readonly moved_place: string | null;
  readonly moved_to: string | null;
};

/**
 * Hands a run over to a user's working tree. From then on, the team cannot append to it. A repeated request of the
 * same working tree gets the same answer.
 */
export async function letRunGo({ pool, journal }: TeamServer, { run, person, wanted }: LetGoRequest): Promise<GoneTo> {
  const row = await inTransaction(pool, async (client) => {
    const { rows } = await client.query<HeadRow>(
      `select head_seq, rests, worker, left_tree, moved_place, moved_to
       from isdlc.run where run = $1 for update`,
      [run],
    );
    const [found] = rows;
    if (found === undefined) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
    if (found.moved_place === wanted.place) return found;
    refuseHeld(run, found);
    // Marked as ended in all lists, to hide it from workers and the watchdog.
    await client.query(
      `update isdlc.run set moved_place = $2, moved_to = $3, moved_by = $4, rests = 'ended',
         epoch = epoch + 1 where run = $1`,
      [run, wanted.place, wanted.to, person],
    );
    return found;
  });
  if (row.left_tree === null) throw notBegun();
  return { ...(await journal.lines(run, 0)), left: row.left_tree };
}

function refuseHeld(run: RunId, { moved_place, moved_to, rests, worker, head_seq, left_tree }: HeadRow): void {
  if (moved_place !== null) throw new ProblemError({ code: "RUN_AWAY", run, to: moved_to ?? "another place" });
  if (rests === "ended") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  if (worker !== null)
    throw new ProblemError({
      code: "RUN_NOT_MOVABLE",
      why: `${worker} works on it now`,
      fix: `Wait until it rests (isdlc status --run ${run}), then run the command again.`,
    });
  if (head_seq === 0 || left_tree === null) throw notBegun();
}

const notBegun = (): ProblemError =>
  new ProblemError({
    code: "RUN_NOT_MOVABLE",
    why: "no worker has started it yet",
    fix: "Wait until it rests: isdlc status",
  });
