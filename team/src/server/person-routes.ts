import { randomBytes } from "node:crypto";
import type { Hono } from "hono";
import { genesis } from "../../../src/adapters/journal-file/record.ts";
import { newRunId } from "../../../src/compose/new-run-id.ts";
import { AnswerRequest } from "../../../src/schema/api.ts";
import { TeamStart, type TeamRunRow, type TeamView } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { answerRun } from "./answer-run.ts";
import { needRole, needRun, personOf } from "../people/roles.ts";
import { runOf, type TeamEnv, type TeamServer } from "./team-server.ts";

const MOST_LISTED = 200;

/** What people's programs ask for. */
export function addPersonRoutes(app: Hono<TeamEnv>, server: TeamServer): void {
  const { pool, journal, version, keys } = server;
  app.get("/api/team", async (context) => {
    const { id: person, kind } = context.get("principal");
    const { rows } = await pool.query<TeamView["repositories"][number]>(REPOSITORIES, [person, kind]);
    return context.json({ version, person, keys: [...keys], repositories: rows } satisfies TeamView);
  });
  app.get("/api/runs", async (context) => {
    const { id, kind } = context.get("principal");
    const values = [context.req.query("repository") ?? null, MOST_LISTED, id, kind, context.req.query("run") ?? null];
    const { rows } = await pool.query<TeamRunRow>(LIST, values);
    return context.json({ runs: rows });
  });
  app.get("/api/runs/:run/lines", async (context) => {
    const run = runOf(context.req.param("run"));
    await needRun(pool, context.get("principal"), { run, role: "viewer" });
    const after = Number(context.req.query("after") ?? "0");
    return context.json(await journal.lines(run, Number.isSafeInteger(after) ? after : 0));
  });
  app.post("/api/runs", async (context) => {
    const by = personOf(context.get("principal"));
    const wanted = TeamStart.parse(await context.req.json());
    await needRole(pool, context.get("principal"), { repository: wanted.repository, role: "reviewer" });
    return context.json({ run: await begin(server, by, wanted) });
  });
  app.post("/api/runs/:run/answer", async (context) => {
    const by = personOf(context.get("principal"));
    const run = runOf(context.req.param("run"));
    const access = await needRun(pool, context.get("principal"), { run, role: "reviewer" });
    const request = AnswerRequest.parse(await context.req.json());
    const after = await answerRun(server, run, { by: { name: by, channel: "token" }, access, request });
    return context.json(await journal.lines(run, after));
  });
}

const REPOSITORIES = `select name, remote, role from isdlc.repository
  left join isdlc.member on repository = name and person = $1
  where role is not null or $2 = 'worker' order by name`;

const LIST = `select run, repository, title, begun_by as "begunBy", rests, wait_kind as wait, phase, worker, refused,
    array(select ref from isdlc.kept_work k where k.run = run.run order by epoch) as kept,
    moved_to as "movedTo", moved_by as "movedBy"
  from isdlc.run where repository is not null and ($1::text is null or repository = $1) and ($5::text is null or run = $5)
    and ($4 = 'worker' or exists (select 1 from isdlc.member m where m.repository = run.repository and m.person = $3))
  order by rests = 'ended', number desc limit $2`;

/** Puts a run on record that the next free worker plans and begins in a clone of the repository. */
async function begin({ pool, queue }: TeamServer, by: string, { repository, start }: TeamStart): Promise<RunId> {
  const run = newRunId(new Date().toISOString(), randomBytes);
  await inTransaction(pool, async (client) => {
    await client.query(
      `insert into isdlc.run (run, place, repository, title, begun_by, start, head_hash, rests)
       values ($1, $1, $2, $3, $4, $5, $6, 'action')`,
      [run, repository, start.title, by, JSON.stringify(start), genesis(run)],
    );
    await queue.ask(client, run, { id: `drive:${run}:s0` });
  });
  return run;
}
