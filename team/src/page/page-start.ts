import type { Hono } from "hono";
import type { StartResult } from "../../../src/schema/api-project.ts";
import { TeamStart } from "../../../src/schema/api-team.ts";
import { beginRun } from "../server/begin-run.ts";
import type { TeamEnv } from "../server/team-server.ts";
import { PAGE_API, type TeamPage } from "./team-page-parts.ts";

/**
 * Adds the route to request a run. Missing choices become known when a worker tries to start it, and are shown with
 * the run.
 */
export function addPageStart(app: Hono<TeamEnv>, { server }: TeamPage): void {
  app.post(`${PAGE_API}/start`, async (context) => {
    const wanted = TeamStart.parse(await context.req.json());
    const run = await beginRun(server, context.get("principal"), wanted);
    return context.json({ run, choice: null } satisfies StartResult);
  });
}
