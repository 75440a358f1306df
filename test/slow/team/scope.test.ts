import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { setWorkerScope } from "../../../team/src/people/worker-scope.ts";
import { GENERATION } from "../../../team/src/server/drive-queue.ts";
import { OPERATIONS } from "../../../team/src/server/open-api.ts";
import type { Operation } from "../../../team/src/server/operation.ts";
import { pageHeaders } from "./support/team-page.ts";
import { startReport } from "./support/start-report.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";
import { claimRun } from "./support/team-runs.ts";

const SECRET = "a secret plan";
const ID = "a".repeat(40);
const ANSWER = { wait: "plan#1/gate-9", shown: "x", option: "continue" };
const LEFT = { snapshot: ID, head: ID, branch: null, names: {} };
const PLACE = "0".repeat(32);
const START = { what: "run", workflow: "change", title: SECRET, isSupervised: true };
/** The rules refuse it, and the reply has the lines of the journal. */
const LATE = { do: "report", ticket: "plan#1@9", outcome: { of: "prepare" } };
const INSTANCE = randomUUID();
const PROCESS = { instance: INSTANCE, generation: GENERATION };

describe.runIf(hasPostgres)("permissions for a run of another repository", () => {
  let team: Team;
  let workers: string;
  let holder: string;
  let bobs: string;
  let run: string;
  let epoch: number;
  let bob: { readonly origin: string; readonly cookie: string };

  /** The repository `other` has a run with a journal and agent output. Bob and the worker w9 have no access to it. */
  beforeAll(async () => {
    team = await createTeam();
    const remote = join(team.ada.base, "other.git");
    execFileSync("git", ["clone", "--quiet", "--bare", team.remote, remote], { env: team.ada.env });
    await team.administer("repository", "other", remote);
    await team.administer("role", "other", "ada", "admin");
    bobs = await team.token("person", "bob");
    await team.administer("role", "sample", "bob", "reviewer");
    bob = await pageHeaders(team, bobs);
    run = (await team.ask(team.adas, "/api/runs", { repository: "other", start: START })).body.run as string;
    holder = await team.token("worker", "w1");
    ({ epoch } = await claimRun(team, holder, run));
    const report = { command: startReport(team, { title: SECRET }), epoch, request: "r", after: 0, left: null };
    expect((await team.ask(holder, `/api/worker/runs/${run}/commands`, report)).status).toBe(200);
    const said = { epoch, execution: "plan#1/e1", lines: [{ text: SECRET }] };
    await team.ask(holder, `/api/worker/runs/${run}/activity`, said);
    await team.database.pool.query(
      "insert into isdlc.kept_work (run, epoch, worker, ref, commit) values ($1, 0, 'w1', 'refs/isdlc/secret', 'c')",
      [run],
    );
    workers = await team.token("worker", "w9");
    await setWorkerScope(team.database.pool, "w9", { repositories: ["sample"], labels: null });
    await team.ask(workers, "/api/worker/beat", { ...PROCESS, runs: [run], version: "" });
  });

  const bodies = (): Readonly<Record<string, object>> => ({
    "/api/runs": { repository: "other", start: START },
    "/api/runs/:run/answer": ANSWER,
    "/api/runs/:run/take-in": { repository: "other", place: PLACE, lines: ["{}"], left: LEFT },
    "/api/runs/:run/let-go": { place: PLACE, to: "bob's clone" },
    "/api/repositories/:repository/members": { person: "bob", role: "admin" },
    "/api/worker/ended": { runs: [run] },
    "/api/worker/claim": { ...PROCESS, claim: randomUUID(), labels: [] },
    "/api/worker/beat": { ...PROCESS, runs: [run], version: "" },
    "/api/worker/runs/:run/names": { epoch, name: "REQ-0001" },
    "/api/worker/runs/:run/commands": { command: LATE, epoch, request: "x", after: 0, left: null },
    "/api/worker/runs/:run/kept": { epoch: -1, commit: ID },
    "/api/worker/runs/:run/left-branch": { epoch, left: null },
    "/api/worker/runs/:run/give-back": { epoch, why: "refused", detail: "no" },
    "/api/worker/runs/:run/merge": { epoch },
    "/api/worker/runs/:run/activity": { epoch, execution: "plan#1/e1", lines: [] },
    "/api/page/runs/:run/challenge": ANSWER,
    "/api/page/runs/:run/answer": ANSWER,
    "/api/page/start": { repository: "other", start: START },
    "/api/page/members": { repository: "other", person: "bob", role: "admin" },
  });

  type Credential = { readonly token: string } | { readonly page: true };
  type Reply = { readonly status: number; readonly text: string };

  async function send({ method, path }: Operation, credential: Credential, repository = "other"): Promise<Reply> {
    const query = `?run=${run}&repository=${repository}`;
    const url = path.replace(":run", run).replace(":repository", repository).replace(/:\w+/, "x") + query;
    const body = bodies()[path] ?? {};
    const own = "token" in credential ? { authorization: `Bearer ${credential.token}` } : bob;
    const response = await fetch(new URL(url, team.url), {
      method: method.toUpperCase(),
      headers: { "content-type": "application/json", ...own },
      ...(method === "post"
        ? { body: JSON.stringify({ ...body, ...("repository" in body ? { repository } : {}) }) }
        : {}),
    });
    return { status: response.status, text: await response.text() };
  }

  /** Operations about one run or repository, and lists. Without those about the caller's own account. */
  const about = (by: readonly Operation["by"][], path: RegExp): readonly Operation[] =>
    OPERATIONS.filter((operation) => by.includes(operation.by) && path.test(operation.path) && !operation.isStream);
  const ONE = /:run|:repository/;

  test("return nothing to a worker's token from any route", async () => {
    const operations = about(["worker", "anybody", "person"], ONE);
    expect(operations.length).toBeGreaterThan(14);
    const before = await team.row(run);
    for (const operation of operations) {
      const { status, text } = await send(operation, { token: workers });
      const expected = operation.by === "person" ? [403] : [404, 409];
      expect(expected, `${operation.method} ${operation.path}: ${text}`).toContain(status);
      expect(text).not.toContain("secret");
    }
    expect(await team.row(run)).toEqual(before);
    const kept = await team.database.pool.query("select epoch from isdlc.kept_work where run = $1", [run]);
    expect(kept.rows).toEqual([{ epoch: 0 }]);
  });

  test.for<[string, object]>([
    ["with an unknown field", { command: { ...LATE, supervision: {} } }],
    ["for a different branch", { command: LATE, left: { ...LEFT, branch: "main" } }],
    ["with the start of the run", { command: { do: "start", facts: {} } }],
    ["with trees", { command: { ...LATE, outcome: { of: "recheck" } } }],
  ])("answer a worker's report %s as if the run did not exist", async ([, sent]) => {
    const report = { epoch, request: randomUUID(), after: 0, left: null, ...sent };
    const { status, body } = await team.ask(workers, `/api/worker/runs/${run}/commands`, report);
    expect(status, JSON.stringify(body)).toBe(404);
    expect(body).toEqual({ problem: expect.objectContaining({ code: "NO_RUN" }) });
  });

  test("hide the run from every list of a worker's token", async () => {
    const lists = about(["worker", "anybody"], /^(?!.*:).*$/);
    expect(lists.map(({ path }) => path).toSorted()).toEqual(
      ["/api/runs", "/api/team", "/api/worker/beat", "/api/worker/claim", "/api/worker/ended"].toSorted(),
    );
    await team.database.pool.query("update isdlc.run set rests = 'ended' where run = $1", [run]);
    for (const operation of lists) {
      const { status, text } = await send(operation, { token: workers });
      expect(status, `${operation.path}: ${text}`).toBe(200);
      for (const hidden of ["secret", "other", run]) expect(text, operation.path).not.toContain(hidden);
    }
    await team.database.pool.query("update isdlc.run set rests = 'action' where run = $1", [run]);
  });

  test("return nothing to a reviewer from any route", async () => {
    const operations = about(["worker", "anybody", "person", "page"], ONE);
    expect(operations.length).toBeGreaterThan(25);
    for (const operation of operations) {
      const isPage = operation.by === "page";
      const { status, text } = await send(operation, isPage ? { page: true } : { token: bobs });
      if (NO_FACTS.test(operation.path)) continue;
      expect(operation.by === "worker" ? [403] : [400, 404], `${operation.path}: ${text}`).toContain(status);
      expect(text).not.toContain("secret");
    }
  });

  test("hide the run from every list of a reviewer", async () => {
    for (const path of ["/api/runs", "/api/team", "/api/page/runs", "/api/page/project", "/api/page/charts"]) {
      const operation = OPERATIONS.find((one) => one.path === path && one.method === "get");
      if (operation === undefined) throw new Error(`no operation ${path}`);
      const { status, text } = await send(operation, path.startsWith("/api/page") ? { page: true } : { token: bobs });
      expect(status, path).toBe(200);
      for (const hidden of ["secret", "other.git", run]) expect(text, path).not.toContain(hidden);
    }
  });

  test.for(["items", "policy", "start", "members"])("reject a reviewer at the web UI's route %s", async (name) => {
    const operation = OPERATIONS.find(({ path }) => path === `/api/page/${name}`);
    if (operation === undefined) throw new Error(`no operation ${name}`);
    const { status, text } = await send(operation, { page: true });
    expect([400, 403, 404], text).toContain(status);
    expect(text).not.toContain("secret");
  });

  test.for([
    "/api/repositories/:repository/members",
    "/api/repositories/:repository/policy",
    "/api/page/members",
    "/api/page/policy",
  ])("reject a reviewer who makes themselves admin through %s", async (path) => {
    const operation = OPERATIONS.findLast((one) => one.path === path);
    if (operation === undefined) throw new Error(`no operation ${path}`);
    const credential = operation.by === "page" ? ({ page: true } as const) : { token: bobs };
    expect(await send(operation, credential, "sample")).toMatchObject({ status: 403 });
    const { rows } = await team.database.pool.query("select role from isdlc.member where person = 'bob'");
    expect(rows).toEqual([{ role: "reviewer" }]);
  });

  test("reject admin and operator commands of a reviewer", async () => {
    const own = (await team.ask(team.adas, "/api/runs", { repository: "sample", start: START })).body.run as string;
    expect(await team.ask(bobs, `/api/runs/${own}/take-back`, {})).toMatchObject({
      status: 403,
      body: { problem: { code: "NOT_ALLOWED" } },
    });
    for (const words of [
      ["policy", "sample", "--four-eyes", "off"],
      ["role", "sample", "bob", "admin"],
      ["token", "worker", "w2"],
      ["revoke", "ada"],
      ["reviewers", "sample", "finish", "bob"],
    ])
      expect((await team.as(bobs, "server", ...words)).code, words.join(" ")).not.toBe(0);
  });

  test("record no saved work of a worker that did not hold the run", async () => {
    await team.database.pool.query("update isdlc.run set epoch = epoch + 1 where run = $1", [run]);
    const others = await team.token("worker", "w8");
    const note = async (token: string) => {
      await team.ask(token, `/api/worker/runs/${run}/kept`, { epoch, commit: ID });
      const { rows } = await team.database.pool.query("select worker from isdlc.kept_work where epoch = $1", [epoch]);
      return rows;
    };
    expect(await note(others)).toEqual([]);
    expect(await note(holder)).toEqual([{ worker: "w1" }]);
  });
});

/** Constant replies without facts about the run. */
const NO_FACTS = /\/runs\/:run\/(?:left|statement)$/;
