import type { Hono } from "hono";
import { AnswerRequest } from "../../../src/schema/api.ts";
import { TeamStart, type TeamRunRow, type TeamView } from "../../../src/schema/api-team.ts";
import { answerRun } from "./answer-run.ts";
import { beginRun } from "./begin-run.ts";
import { needRun, requirePerson } from "../people/roles.ts";
import { IN_SCOPE } from "../people/worker-scope.ts";
import { parseRunId, type TeamEnv, type TeamServer } from "./team-server.ts";

const MAX_LISTED = 200;

/** Adds routes for users' programs. */
export function addPersonRoutes(app: Hono<TeamEnv>, server: TeamServer): void {
  const { pool, journal, version, keys } = server;
  app.get("/api/team", async (context) => {
    const { id: person, kind } = context.get("principal");
    const { rows } = await pool.query<TeamView["repositories"][number]>(REPOSITORIES, [person, kind]);
    return context.json({ version, person, keys: [...keys], repositories: rows } satisfies TeamView);
  });
  app.get("/api/runs", async (context) => {
    const { id, kind } = context.get("principal");
    const values = [context.req.query("repository") ?? null, MAX_LISTED, id, kind, context.req.query("run") ?? null];
    const { rows } = await pool.query<TeamRunRow>(LIST, values);
    return context.json({ runs: rows });
  });
  app.get("/api/runs/:run/lines", async (context) => {
    const run = parseRunId(context.req.param("run"));
    await needRun(pool, context.get("principal"), { run, role: "viewer" });
    const after = Number(context.req.query("after") ?? "0");
    return context.json(await journal.lines(run, Number.isSafeInteger(after) ? after : 0));
  });
  app.post("/api/runs", async (context) => {
    const wanted = TeamStart.parse(await context.req.json());
    return context.json({ run: await beginRun(server, context.get("principal"), wanted) });
  });
  app.post("/api/runs/:run/answer", async (context) => {
    const by = requirePerson(context.get("principal"));
    const run = parseRunId(context.req.param("run"));
    const access = await needRun(pool, context.get("principal"), { run, role: "reviewer" });
    const request = AnswerRequest.parse(await context.req.json());
    const after = await answerRun(server, run, { by: { name: by, channel: "token" }, access, request });
    return context.json(await journal.lines(run, after));
  });
}

const REPOSITORIES = `select y.name, y.remote, role from isdlc.repository y
  join isdlc.principal p on p.id = $1
  left join isdlc.member on repository = y.name and person = $1
  where role is not null or ($2 = 'worker' and ${IN_SCOPE}) order by y.name`;

const LIST = `select run, repository, title, begun_by as "begunBy", rests, wait_kind as wait, phase, worker, refused, choices,
    array(select ref from isdlc.kept_work k where k.run = run.run order by epoch) as kept,
    moved_to as "movedTo", moved_by as "movedBy", cancelled_by as "cancelledBy", left_branch as "leftBranch",
    case when rests = 'action' then to_char(host_since at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end as "hostSince"
  from isdlc.run where repository is not null and ($1::text is null or repository = $1) and ($5::text is null or run = $5)
    and ($4 = 'worker' and exists (select 1 from isdlc.principal p join isdlc.repository y on y.name = run.repository
        where p.id = $3 and ${IN_SCOPE})
      or exists (select 1 from isdlc.member m where m.repository = run.repository and m.person = $3))
  order by rests = 'ended', number desc limit $2`;
