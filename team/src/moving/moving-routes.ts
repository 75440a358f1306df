import type { Hono } from "hono";
import { LetGo, TakeIn } from "../../../src/schema/api-moving.ts";
import { needRole, needRun, requirePerson } from "../people/roles.ts";
import { parseRunId, type TeamEnv, type TeamServer } from "../server/team-server.ts";
import { letRunGo } from "./let-run-go.ts";
import { takeBackRun } from "./take-back-run.ts";
import { takeInRun } from "./take-in-run.ts";

/**
 * Adds routes to bring runs to the team and back. Bringing and taking home require the reviewer role in the
 * repository, taking back requires admin.
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
