import type { Hono } from "hono";
import {
  Beat,
  type ClaimAnswer,
  ClaimRequest,
  EndedRequest,
  GiveBack,
  keptRef,
  KeptWork,
  LeftBranchNote,
  NameRequest,
} from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { refusedField } from "../reports/refused-field.ts";
import { drawName } from "./drawn-names.ts";
import { claimRun } from "./claims.ts";
import { giveBack, noteBeat, noteKeptWork, noteLeftBranch } from "./leases.ts";
import { IN_SCOPE } from "../people/worker-scope.ts";
import { readScopedRun, type TeamEnv, type TeamServer, requireWorker } from "./team-server.ts";

/** Adds routes for workers other than reports: heartbeats, claims, names, and the end of a lease. */
export function addWorkerRoutes(app: Hono<TeamEnv>, server: TeamServer): void {
  const { pool } = server;
  app.post("/api/worker/beat", async (context) => {
    const worker = requireWorker(context.get("principal"));
    return context.json(await noteBeat(server, { worker, ...Beat.parse(await context.req.json()) }));
  });
  app.post("/api/worker/ended", async (context) => {
    const worker = requireWorker(context.get("principal"));
    const { runs } = EndedRequest.parse(await context.req.json());
    return context.json({ ended: await endedAmong(pool, worker, runs) });
  });
  app.post("/api/worker/claim", async (context) => {
    const worker = requireWorker(context.get("principal"));
    const request = ClaimRequest.parse(await context.req.json());
    const { drives } = server.limits;
    const lease = await claimRun(pool, { ...request, worker, drives });
    return context.json({ lease, drives, pollAfter: server.pacing.interval() } satisfies ClaimAnswer);
  });
  app.post("/api/worker/runs/:run/names", async (context) => {
    const held = await readScopedRun(pool, context);
    const { epoch, name } = NameRequest.parse(await context.req.json());
    return context.json({ drawn: await drawName(pool, { ...held, epoch }, name) });
  });
  addLeavingRoutes(app, server);
}

/** Adds routes for notes about a run that the worker does not continue. */
function addLeavingRoutes(app: Hono<TeamEnv>, server: TeamServer): void {
  const { pool } = server;
  app.post("/api/worker/runs/:run/kept", async (context) => {
    const { run, worker } = await readScopedRun(pool, context);
    const kept = KeptWork.parse(await context.req.json());
    if (await noteKeptWork(pool, run, { ...kept, worker }))
      server.log.warn({ run, worker, ref: keptRef(run, kept.epoch) }, "a fenced worker kept what it had not pushed");
    return context.json({});
  });
  app.post("/api/worker/runs/:run/left-branch", async (context) => {
    const { run, worker } = await readScopedRun(pool, context);
    const note = LeftBranchNote.parse(await context.req.json());
    const { state } = await server.journal.load(run);
    const own = state.is === "none" ? null : state.run.git?.branch;
    if (note.left !== null && note.left.branch !== own)
      throw refusedField("left.branch", "it is not the branch of the run");
    await noteLeftBranch(pool, run, { ...note, worker });
    return context.json({});
  });
  app.post("/api/worker/runs/:run/give-back", async (context) => {
    const held = await readScopedRun(pool, context);
    await giveBack(server, held, GiveBack.parse(await context.req.json()));
    return context.json({});
  });
}

async function endedAmong(pool: TeamServer["pool"], worker: string, runs: readonly RunId[]): Promise<readonly RunId[]> {
  const { rows } = await pool.query<{ run: RunId }>(
    `select r.run from isdlc.run r join isdlc.repository y on y.name = r.repository
       join isdlc.principal p on p.id = $2
     where r.run = any($1) and r.rests = 'ended' and ${IN_SCOPE}`,
    [runs, worker],
  );
  return rows.map(({ run }) => run);
}
