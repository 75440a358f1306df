import type { Hono } from "hono";
import { LetGo, TakeIn, type GoneTo } from "../../../src/schema/api-moving.ts";
import { needRole, needRun, requirePerson } from "../people/roles.ts";
import { parseRunId, type TeamEnv, type TeamServer } from "../server/team-server.ts";
import { takeInRun } from "./take-in-run.ts";
import { next } from "../../../src/core/next.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { waitColumns } from "../journal-postgres/append-decision.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { queueRun } from "../server/drive-queue.ts";
import type { LeftTree } from "../../../src/schema/api-team.ts";

/**
 * Adds routes to move runs to the team (`take-in`) and to a user's machine (`let-go`), for reviewers of the repository,
 * and to reclaim a run whose place is lost (`take-back`), for admins.
 */
export function addMovingRoutes(app: Hono<TeamEnv>, server: TeamServer): void {
  const { pool } = server;
  app.post("/api/runs/:run/take-in", async (context) => {
    const principal = context.get("principal");
    const person = requirePerson(principal);
    const run = parseRunId(context.req.param("run"));
    const sent = TakeIn.parse(await context.req.json());
    await needRole(pool, principal, { repository: sent.repository, role: "reviewer" });
    return context.json({ seq: await takeInRun(server, { run, person, sent }) });
  });
  app.post("/api/runs/:run/take-back", async (context) => {
    const principal = context.get("principal");
    const person = requirePerson(principal);
    const run = parseRunId(context.req.param("run"));
    await needRun(pool, principal, { run, role: "admin" });
    return context.json({ from: await takeBackRun(server, { run, person }) });
  });
  app.post("/api/runs/:run/let-go", async (context) => {
    const principal = context.get("principal");
    const person = requirePerson(principal);
    const run = parseRunId(context.req.param("run"));
    await needRun(pool, principal, { run, role: "reviewer" });
    const wanted = LetGo.parse(await context.req.json());
    return context.json(await letRunGo(server, { run, person, wanted }));
  });
}

/**
 * Returns a run to the team if its place is lost, in the state of the team's journal. Later decisions made at that
 * place are not accepted any more. The user and the place are stored with the other changes by admins.
 */
async function takeBackRun(
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

type LetGoRequest = { readonly run: RunId; readonly person: string; readonly wanted: LetGo };

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
async function letRunGo({ pool, journal }: TeamServer, { run, person, wanted }: LetGoRequest): Promise<GoneTo> {
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
