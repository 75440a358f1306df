import { beforeAll, describe, expect, test } from "vitest";
import { emptyCursor } from "../../../src/adapters/journal/fold.ts";
import { createReaderSeal, parsePublicKeys } from "../../../src/adapters/remote/reader-seal.ts";
import { prepared } from "../../journal-file/sample-commands.ts";
import { startReport } from "./support/start-report.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { claimRun } from "./support/team-runs.ts";
import { readLines } from "../../../src/adapters/remote/server-client.ts";

const START = { what: "run", workflow: "change", title: "add a greeting", isSupervised: true };
const ANSWER = { wait: "plan#1/gate-9", shown: "x", option: "continue" };

describe.runIf(hasPostgres)("permissions at the server", () => {
  let team: Team;
  let adas: string;
  let workers: string;
  let run: string;
  beforeAll(async () => {
    team = await createTeam();
    adas = team.adas;
    workers = (await team.administer("token", "worker", "w1")).token as string;
    run = (await team.ask(adas, "/api/runs", { repository: "sample", start: START })).body.run as string;
  });

  test("rejects answers and starts with a worker's token", async () => {
    const refused = { status: 403, body: { problem: { code: "NOT_ALLOWED" } } };
    expect(await team.ask(workers, `/api/runs/${run}/answer`, ANSWER)).toMatchObject(refused);
    expect(await team.ask(workers, "/api/runs", { repository: "sample", start: START })).toMatchObject(refused);
  });

  test.for(["continue", "redo", "finish", "cancel", "skip", "changeAgents"])(
    "rejects the command %s in a worker's report",
    async (what) => {
      const command = { do: what, by: { name: "ada", channel: "token" }, wait: "plan#1/gate-9", shown: "x" };
      const sent = { command, epoch: 0, request: "r", after: 0, left: null };
      const answer = await team.ask(workers, `/api/worker/runs/${run}/commands`, sent);
      expect(answer).toMatchObject({ status: 400, body: { problem: { code: "INVALID_REQUEST" } } });
    },
  );

  test("fences a worker that does not hold the run", async () => {
    const command = { do: "start", facts: {} };
    const sent = { command, epoch: 7, request: "r", after: 0, left: null };
    const answer = await team.ask(workers, `/api/worker/runs/${run}/commands`, sent);
    expect(answer.status).not.toBe(200);
    expect((await team.row(run)).head_seq).toBe(0);
    const drawn = await team.ask(workers, `/api/worker/runs/${run}/names`, { epoch: 7, name: "REQ-0001" });
    expect(drawn).toMatchObject({ status: 409, body: { problem: { code: "FENCED" } } });
  });

  test("rejects claims, heartbeats and reports with a user's token", async () => {
    const refused = { status: 403, body: { problem: { code: "NOT_ALLOWED" } } };
    expect(await team.ask(adas, "/api/worker/claim", {})).toMatchObject(refused);
    expect(await team.ask(adas, "/api/worker/beat", { instance: "i", runs: [] })).toMatchObject(refused);
    expect(await team.ask(adas, "/api/worker/ended", { runs: [run] })).toMatchObject(refused);
  });

  test.for<[string, string]>([
    ["expired", "update isdlc.token set expires_at = now() - interval '1 second' where owner = 'eve'"],
    ["revoked", "update isdlc.token set revoked_at = now() where owner = 'eve'"],
  ])("rejects a token that was %s", async ([, statement]) => {
    const eves = await team.token("person", "eve");
    expect((await team.ask(eves, "/api/team")).status).toBe(200);
    await team.database.pool.query(statement);
    expect(await team.ask(eves, "/api/team")).toMatchObject({
      status: 401,
      body: { problem: { code: "TOKEN_REFUSED" } },
    });
  });

  test.for<[string, string]>([
    ["expired", "update isdlc.token set expires_at = now() - interval '1 second' where owner = $1"],
    ["revoked", "update isdlc.token set revoked_at = now() where owner = $1"],
    ["replaced", "update isdlc.token set digest = md5(digest) where owner = $1"],
    ["assigned to another account", "update isdlc.token set owner = 'w1', name = digest where owner = $1"],
  ])("rejects reports of a holding worker whose token was %s", async ([how, statement]) => {
    const name = `held-${how.replaceAll(" ", "-")}`;
    const token = await team.token("worker", name);
    const start = { ...START, title: how };
    const held = (await team.ask(adas, "/api/runs", { repository: "sample", start })).body.run as string;
    const lease = await claimRun(team, token, held);
    const report = (command: object, after: number, request: string) =>
      team.ask(token, `/api/worker/runs/${held}/commands`, { command, epoch: lease.epoch, request, after, left: null });
    const begun = await report(startReport(team, { title: how }), 0, "r1");
    expect(begun).toMatchObject({ status: 200, body: { ok: true } });
    const keys = (await team.ask(adas, "/api/team")).body.keys as string[];
    const { cursor } = readLines(
      emptyCursor(held),
      begun.body.lines as string[],
      createReaderSeal(parsePublicKeys(keys)),
    );
    await team.database.pool.query(statement, [name]);
    const refused = { status: 401, body: { problem: { code: "TOKEN_REFUSED" } } };
    expect(await report(prepared(cursor.state), cursor.seq, "r2")).toMatchObject(refused);
    expect(await report(prepared(cursor.state), cursor.seq, "r3"), "asked again").toMatchObject(refused);
    expect((await team.row(held)).head_seq).toBe(cursor.seq);
  });

  test("rejects a revoked token before it evaluates the rules", async () => {
    const token = await team.token("worker", "late");
    const command = { do: "report", ticket: "plan#1@9", outcome: { of: "prepare" } };
    const ask = () =>
      team.ask(token, `/api/worker/runs/${run}/commands`, { command, epoch: 0, request: "r", after: 0, left: null });
    expect(await ask()).not.toMatchObject({ status: 401 });
    await team.database.pool.query("update isdlc.token set revoked_at = now() where owner = 'late'");
    expect(await ask()).toMatchObject({ status: 401, body: { problem: { code: "TOKEN_REFUSED" } } });
  });

  test("rejects requests without a token or with an invented one", async () => {
    for (const token of ["", "isdlc_person_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
      expect((await team.ask(token, "/api/runs")).status).toBe(401);
  });

  test("stores only digests of tokens", async () => {
    const { rows } = await team.database.pool.query("select row_to_json(t)::text as row from isdlc.token t");
    expect(rows.length).toBeGreaterThan(1);
    for (const { row } of rows) expect([row.includes(adas), row.includes(workers)]).toEqual([false, false]);
  });

  test.for(["ext::sh -c id", "--upload-pack=id", "-x", "file name", "ssh://-oProxyCommand=id/x"])(
    "rejects %j as a remote for workers",
    async (remote) => {
      const done = await team.ada.start(["server", "repository", "bad", "--", remote], {
        ISDLC_DATABASE_URL: team.database.url,
      }).ended;
      expect(done.code).toBe(2);
    },
  );
});
