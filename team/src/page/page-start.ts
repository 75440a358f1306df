import type { Hono } from "hono";
import type { StartResult } from "../../../src/schema/api-project.ts";
import { TeamStart } from "../../../src/schema/api-team.ts";
import { beginRun } from "../server/begin-run.ts";
import type { TeamEnv } from "../server/team-server.ts";
import { PAGE_API, type TeamPage } from "./team-page-parts.ts";

/** What is asked for on the page. What has to be chosen first is known once a worker has tried, and told at the run. */
export function addPageStart(app: Hono<TeamEnv>, { server }: TeamPage): void {
  app.post(`${PAGE_API}/start`, async (context) => {
    const wanted = TeamStart.parse(await context.req.json());
    const run = await beginRun(server, context.get("principal"), wanted);
    return context.json({ run, choice: null } satisfies StartResult);
  });
}
