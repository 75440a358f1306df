import type { Context, Hono } from "hono";
import { lookAtItems } from "../../../src/app/inspect/look-at-items.ts";
import type { ItemList } from "../../../src/schema/api-project.ts";
import { visibleView } from "../../../src/views/page/visible-view.ts";
import { needRole } from "../people/roles.ts";
import type { TeamEnv } from "../server/team-server.ts";
import { createTeamCharts } from "./team-charts.ts";
import { PAGE_API, type TeamPage } from "./team-page-parts.ts";

/** Adds routes for data of a repository beyond its runs. */
export function addPageRepositories(app: Hono<TeamEnv>, { server, trees }: TeamPage): void {
  const { pool } = server;
  const charts = createTeamCharts(server);
  app.get(`${PAGE_API}/items`, async (context) => {
    const repository = repositoryIn(context) ?? "";
    await needRole(pool, context.get("principal"), { repository, role: "viewer" });
    const text = "select remote from isdlc.repository where name = $1";
    const { rows } = await pool.query<{ remote: string }>(text, [repository]);
    const seen = await trees.items(rows[0]?.remote ?? "");
    return context.json(seen === null ? ({ items: [] } satisfies ItemList) : visibleView(await lookAtItems(seen)));
  });
  app.get(`${PAGE_API}/charts`, async (context) =>
    context.json(await charts(context.get("principal").id, repositoryIn(context))),
  );
}

const repositoryIn = (context: Context<TeamEnv>): string | null => context.req.query("repository") ?? null;
