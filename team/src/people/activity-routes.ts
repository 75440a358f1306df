import type { Hono } from "hono";
import { ProblemError } from "../../../src/core/problem.ts";
import { Activity, type TeamActivity } from "../../../src/schema/api-team.ts";
import { type TeamEnv, type TeamServer, readScopedRun } from "../server/team-server.ts";
import { needRun } from "./roles.ts";

/** Messages stored per run, and maximum per response. */
const MAX_KEPT_EVENTS = 2000;

/** Adds routes for agent output: sent by the worker that drives the run, readable by everyone with access to it. */
export function addActivityRoutes(app: Hono<TeamEnv>, { pool }: TeamServer): void {
  app.get("/api/runs/:run/activity", async (context) => {
    const run = context.req.param("run");
    await needRun(pool, context.get("principal"), { run, role: "viewer" });
    const after = Number(context.req.query("after") ?? "0");
    const { rows } = await pool.query<TeamActivity["said"][number]>(
      "select number::float8 as number, execution, lines from isdlc.activity where run = $1 and number > $2 order by number limit $3",
      [run, Number.isSafeInteger(after) ? after : 0, MAX_KEPT_EVENTS],
    );
    return context.json({ said: rows } satisfies TeamActivity);
  });
  app.post("/api/worker/runs/:run/activity", async (context) => {
    const { run, worker } = await readScopedRun(pool, context);
    const { epoch, execution, lines } = Activity.parse(await context.req.json());
    const { rowCount } = await pool.query(
      `insert into isdlc.activity (run, execution, lines)
       select run, $4, $5 from isdlc.run where run = $1 and worker = $2 and epoch = $3`,
      [run, worker, epoch, execution, JSON.stringify(lines)],
    );
    if (rowCount === 0) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
    await pool.query(
      `delete from isdlc.activity where run = $1 and number <=
         (select number from isdlc.activity where run = $1 order by number desc offset $2 limit 1)`,
      [run, MAX_KEPT_EVENTS],
    );
    return context.json({});
  });
}
