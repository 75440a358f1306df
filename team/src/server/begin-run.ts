import { randomBytes } from "node:crypto";
import { genesis } from "../../../src/adapters/journal/record.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { StartRequest } from "../../../src/schema/api-project.ts";
import type { TeamStart } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { needRole, requirePerson } from "../people/roles.ts";
import type { Principal } from "../people/principals.ts";
import { queueRun } from "./drive-queue.ts";
import type { TeamServer } from "./team-server.ts";
import { runTitle } from "../../../src/app/start/run-request.ts";
import { newRunId } from "../../../src/compose/project-location.ts";

/**
 * Records a requested run. The next free worker plans and starts it in a clone of the repository. @throws ProblemError
 * NOT_ALLOWED if the user lacks the role, USAGE for requests that workers do not support
 */
export async function beginRun(server: TeamServer, principal: Principal, wanted: TeamStart): Promise<RunId> {
  const { pool } = server;
  const { repository } = wanted;
  const by = requirePerson(principal);
  await needRole(pool, principal, { repository, role: "reviewer" });
  const start = forWorkers(wanted.start);
  const run = newRunId(new Date().toISOString(), randomBytes);
  await inTransaction(pool, async (client) => {
    await client.query(
      `insert into isdlc.run (run, place, repository, title, begun_by, start, head_hash, rests)
       values ($1, $1, $2, $3, $4, $5, $6, 'action')`,
      [run, repository, start.title, by, JSON.stringify(start), genesis(run)],
    );
    await queueRun(client, run);
  });
  return run;
}

/** Items are built by the workflow of their analysis. */
const BUILDS = "feature";
const USAGE = 'isdlc request "<what to do>"';

function forWorkers(start: StartRequest): StartRequest {
  if (start.what === "run") return { ...start, title: runTitle({ title: start.title, usage: USAGE }) };
  if (start.what === "build") return { ...start, workflow: BUILDS };
  throw new ProblemError({
    code: "USAGE",
    detail: "A team's workers run workflows and build items. Items are put on record and analyzed in a clone.",
    usage: `isdlc ${start.what} ${JSON.stringify(start.title)}`,
  });
}
