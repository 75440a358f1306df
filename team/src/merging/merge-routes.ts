import { setTimeout as delay } from "node:timers/promises";
import type { Hono } from "hono";
import { type MergeAnswer, MergeRequest } from "../../../src/schema/api-team.ts";
import { GitHostError, toHostError } from "../copies/host-failure.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { FencedError } from "../journal-postgres/submit-decision.ts";
import { readScopedRun, type TeamEnv, type TeamServer } from "../server/team-server.ts";
import { mergeRun } from "./merge-run.ts";

/** Time limit of a request. If the merge takes longer, the worker asks again. */
const ANSWER_WITHIN_MS = 20_000;

/**
 * Adds the route where the worker that drives a run requests its merge. The worker supplies only the run's id and its
 * epoch.
 */
export function addMergeRoutes(app: Hono<TeamEnv>, server: TeamServer): void {
  const merging = new Map<RunId, Promise<void>>();
  const merge = (run: RunId): Promise<void> => {
    const known = merging.get(run) ?? mergeRun(server, run).finally(() => merging.delete(run));
    merging.set(run, known);
    return known;
  };
  app.post("/api/worker/runs/:run/merge", async (context) => {
    const { run, worker } = await readScopedRun(server.pool, context);
    const { epoch } = MergeRequest.parse(await context.req.json());
    await requireHolder(server, run, { worker, epoch });
    const stop = new AbortController();
    const timer = delay(ANSWER_WITHIN_MS, RUNNING, { signal: stop.signal }).catch(() => RUNNING);
    const done = merge(run).then(() => DONE, toHostFailure);
    const answered = await Promise.race([done, timer]).finally(() => stop.abort());
    const { head } = await server.journal.load(run);
    return context.json({ ...answered, seq: head.seq } satisfies MergeAnswer);
  });
}

const RUNNING = { isDone: false, hostFailure: null };
const DONE = { isDone: true, hostFailure: null };

/** Rethrows all other errors. */
function toHostFailure(error: unknown) {
  const host = toHostError(error);
  if (host instanceof GitHostError) return { isDone: true, hostFailure: host.message };
  throw error;
}

async function requireHolder(
  { pool }: TeamServer,
  run: RunId,
  { worker, epoch }: { readonly worker: string; readonly epoch: number },
): Promise<void> {
  const { rowCount } = await pool.query("select 1 from isdlc.run where run = $1 and worker = $2 and epoch = $3", [
    run,
    worker,
    epoch,
  ]);
  if (rowCount === 0) throw new FencedError(`${worker} does not drive run ${run} any more.`);
}
