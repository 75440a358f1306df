import { request } from "node:http";
import { connect } from "node:net";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { LeftTree } from "../../../src/schema/api-team.ts";
import { createServerMetrics } from "../../../team/src/operations/metrics.ts";
import { startTracing } from "../../../team/src/operations/tracing.ts";
import { isPrincipalName } from "../../../team/src/people/principals.ts";
import { createRefusedTokens, FORGOTTEN_AFTER } from "../../../team/src/people/refused-tokens.ts";
import { createAuthentication } from "../../../team/src/people/authenticate.ts";
import { createTeamApp } from "../../../team/src/server/create-team-app.ts";
import type { TeamServer } from "../../../team/src/server/team-server.ts";
import { isRemote } from "../../../team/src/remote-address.ts";
import { createLog } from "../../../team/src/structured-log.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type Team } from "./support/team.ts";

const ID = "0123456789abcdef0123456789abcdef01234567";

const REPORT = "/api/worker/runs/20261116-100000000-abcd/commands";

const LONG = JSON.stringify({ repository: "sample", start: "x".repeat(5 * 1024 * 1024) });

/** Sends these bytes as a request. Returns the answer, or an empty text if the server closed the connection. */
function sendRaw(url: string, lines: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(lines.join("\r\n")));
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString("utf8")));
    socket.on("error", () => resolve(answer));
    socket.on("close", () => resolve(answer));
  });
}

describe.runIf(hasPostgres)("server open to strangers", () => {
  let team: Team;
  beforeAll(async () => {
    team = await createTeam();
  });

  test("rejects requests of another site and ignores cookies", async () => {
    const headers = { origin: "https://evil.example", cookie: `token=${team.adas}`, "content-type": "text/plain" };
    for (const method of ["GET", "POST"]) {
      const body = method === "POST" ? { body: "{}" } : {};
      const answer = await fetch(new URL("/api/runs", team.url), { method, headers, ...body });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
    const asked = { method: "OPTIONS", headers: { ...headers, "access-control-request-method": "POST" } };
    const preflight = await fetch(new URL("/api/runs", team.url), asked);
    expect(preflight.ok).toBe(false);
  });

  test("accepts a long journal and rejects an oversized one", async () => {
    const bring = (bytes: number) => {
      const lines = ["x".repeat(bytes)];
      const left = { snapshot: ID, head: ID, branch: null, names: {} };
      const sent = { repository: "sample", place: "0".repeat(32), lines, left };
      return team.ask(team.adas, "/api/runs/20261116-100000000-abcd/take-in", sent).catch(() => ({ status: 413 }));
    };
    expect(await bring(20 * 1024 * 1024)).toMatchObject({
      status: 409,
      body: { problem: { code: "RUN_NOT_MOVABLE" } },
    });
    expect(await bring(33 * 1024 * 1024)).toMatchObject({ status: 413 });
  });

  test("ignores a token in the query string", async () => {
    expect((await fetch(new URL(`/api/runs?token=${team.adas}`, team.url))).status).toBe(401);
  });

  test.for<[string, string, Record<string, string>]>([
    ["request", "says", { "content-length": String(LONG.length) }],
    ["request", "does not say", { "transfer-encoding": "chunked" }],
    ["report", "says", { "content-length": String(LONG.length) }],
    ["report", "does not say", { "transfer-encoding": "chunked" }],
  ])("rejects an oversized %s that %s its length", async ([what, , length]) => {
    const path = what === "report" ? REPORT : "/api/runs";
    const token = what === "report" ? await team.token("worker", "w1") : team.adas;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...length };
    const end = await new Promise<number | "cut off">((resolve) => {
      const sent = request(new URL(path, team.url), { method: "POST", headers }, (answer) => {
        resolve(answer.statusCode ?? 0);
        sent.destroy();
      });
      sent.on("error", () => resolve("cut off")); // the server stopped reading
      sent.on("socket", (socket) => socket.on("error", () => undefined));
      sent.end(LONG);
    });
    expect([413, "cut off"]).toContain(end);
    expect((await team.ask(team.adas, "/api/runs")).body.runs).toEqual([]);
  });

  test.for(["..%2f..%2fetc", "--all", "x'; drop table isdlc.run; --", "%00", "$(id)"])(
    "finds neither a run nor a repository named %j",
    async (name) => {
      const encoded = encodeURIComponent(name);
      expect((await team.ask(team.adas, `/api/runs/${encoded}/lines`)).status).toBeGreaterThanOrEqual(400);
      expect((await team.ask(team.adas, `/api/runs?repository=${encoded}`)).body).not.toMatchObject({ runs: [{}] });
      expect((await team.ask(team.adas, `/api/repositories/${encoded}/members`)).status).toBeGreaterThanOrEqual(400);
      expect((await team.ask(team.adas, "/api/runs")).status).toBe(200);
    },
  );

  test.for<[string, string, string, string[]]>([
    ["an invalid Host header", "GET", "/api/runs", ["Host: [bad host"]],
    ["no Host header", "GET", "/api/runs", []],
    ["two Content-Length headers", "POST", "/api/runs", ["Host: x", "Content-Length: 1", "Content-Length: 2"]],
    [
      "both Content-Length and chunked encoding",
      "POST",
      "/api/runs",
      ["Host: x", "Content-Length: 1", "Transfer-Encoding: chunked"],
    ],
    ["10,000 headers", "GET", "/", ["Host: x", ...Array.from({ length: 10_000 }, (_, at) => `X-${at}: y`)]],
    ["a path with a double slash", "GET", "//etc/passwd", ["Host: x"]],
    ["a path with escaped parent folders", "GET", "/assets/..%2f..%2f..%2fpackage.json", ["Host: x"]],
    ["a path with parent folders", "GET", "/../../../../etc/passwd", ["Host: x"]],
    ["a path with a NUL byte", "GET", "/assets/%00", ["Host: x"]],
    ["a broken percent escape", "GET", "/api/runs/%zz/lines", ["Host: x"]],
    ["an absolute URL of another server", "GET", "http://169.254.169.254/latest/meta-data/", ["Host: x"]],
    ["a CONNECT request", "CONNECT", "169.254.169.254:80", ["Host: x"]],
    ["an unknown method", "FROBNICATE", "/api/runs", ["Host: x"]],
    ["an upgrade to a websocket", "GET", "/api/page/live", ["Host: x", "Connection: Upgrade", "Upgrade: websocket"]],
  ])("survives %s and returns no file content", async ([, method, path, lines]) => {
    const answer = await sendRaw(team.url, [`${method} ${path} HTTP/1.1`, ...lines, "Connection: close", "", ""]);
    expect(answer).toMatch(/^$|^HTTP\/1\.1 (?:4\d\d|200) /);
    expect(answer).not.toMatch(/root:|"name": "isdlc"|ami-id/);
    expect((await fetch(new URL("/health", team.url))).status).toBe(200);
    expect(team.first.child.exitCode).toBeNull();
  });

  test("rejects invalid reports like any other invalid request", async () => {
    const workers = await team.token("worker", "w1");
    const send = async (token: string, path: string, body: string) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const answer = await fetch(new URL(path, team.url), { method: "POST", headers, body });
      const told = Object.fromEntries(answer.headers);
      return { status: answer.status, ...((await answer.json()) as object), told: { ...told, date: "" } };
    };
    const refusals = new Set<number>();
    for (const token of ["", team.adas, workers])
      for (const body of ["", "{", "[]", "{}", '"\\u0000"', '{"command":{"do":"report"},"epoch":"1"}']) {
        const report = await send(token, REPORT, body);
        expect(report, `${body} by ${token.slice(0, 12)}`).toEqual(await send(token, "/api/worker/claim", body));
        refusals.add(report.status);
      }
    expect(refusals).toEqual(new Set([401, 403, 400]));
  });

  test("reports an internal error as a server failure and logs it", async () => {
    const workers = await team.token("worker", "w1");
    const command = { do: "report", ticket: "plan#1@9", outcome: { of: "prepare" } };
    const report = { command, epoch: 0, request: "r", after: 0, left: null };
    const failures = (): number => team.first.said().split("a request failed").length - 1;
    const before = failures();
    await team.database.pool.query("alter table isdlc.run rename to run_away");
    for (const [token, path, body] of [
      [workers, REPORT, report] as const,
      [team.adas, "/api/runs", undefined] as const,
    ])
      expect(await team.ask(token, path, body)).toMatchObject({
        status: 500,
        body: { problem: { code: "UNAVAILABLE" } },
      });
    await team.database.pool.query("alter table isdlc.run_away rename to run");
    await vi.waitFor(() => expect(failures()).toBe(before + 2));
  });

  test("slows down token guesses from one address without locking out valid tokens", async () => {
    const guess = (at: number): string => `isdlc_person_${String(at).padStart(43, "A")}`;
    const statuses: number[] = [];
    for (let at = 0; at < 24; at++) statuses.push((await team.ask(guess(at), "/api/runs")).status);
    statuses.push((await team.ask(guess(24), REPORT, {})).status);
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401));
    expect(statuses.slice(20)).toEqual(Array.from({ length: 5 }, () => 429));
    expect((await team.ask(team.adas, "/api/runs")).status).toBe(200);
  });
});

test("forgets rejected tokens after a while", () => {
  let now = 0;
  const refused = createRefusedTokens(() => now);
  for (let at = 0; at < 20; at++) refused.noteRefused("here");
  expect([refused.mayTry("here", "t"), refused.mayTry("there", "t")]).toEqual([false, true]);
  now = FORGOTTEN_AFTER * 1000;
  expect(refused.mayTry("here", "t")).toBe(true);
});

test.for([
  "--upload-pack=id",
  "-B",
  "a..b",
  "a b",
  "a\nb",
  "x.lock",
  "/abs",
  "a//b",
  "a:b",
  ".hidden",
  "a/.b",
  "a@{1}",
  "",
])("rejects %j as the name of a branch or snapshot", (name) => {
  const left = { snapshot: ID, head: ID, branch: "feature/add-a-greeting", names: { "plan#1/now": ID } };
  expect(LeftTree.safeParse(left).success).toBe(true);
  expect(LeftTree.safeParse({ ...left, branch: name }).success).toBe(false);
  expect(LeftTree.safeParse({ ...left, names: { [name]: ID } }).success).toBe(false);
});

test.for([
  "--upload-pack=id",
  "-oProxyCommand=id",
  "ext::sh -c id",
  "fd::17/x",
  "https://-x/y",
  "ssh://-oProxyCommand=id/x",
  "ssh://git@-oProxyCommand=id/x",
  "git@-oProxyCommand:x",
  "git@host:-x",
  "file://-x",
  "https://a b/",
  "/a\n/b",
  "relative/path",
  "",
])("rejects %j as a remote", (remote) => {
  expect(isRemote(remote)).toBe(false);
});

test.for(["https://example.org/a.git", "ssh://git@example.org:22/a", "git@example.org:a/b.git", "/srv/git/a-@-b.git"])(
  "accepts %j as a remote",
  (remote) => {
    expect(isRemote(remote)).toBe(true);
  },
);

test.for(["<b>", "a b", "a\u202eb", "a\u001b[31m", "a\r\nb", "-a", "", "x".repeat(64), "ada<ada@example.org>", "ä"])(
  "rejects %j as the name of a person, worker or repository",
  (name) => {
    expect(isPrincipalName(name)).toBe(false);
  },
);

test("writes an error as one log line without control characters", async () => {
  const lines: string[] = [];
  const error = new Error("no\n2026-11-16 ada signed in\u001b[31m\u009b31m\u202eback\u2028x");
  const pool = { query: () => Promise.reject(error) } as unknown as TeamServer["pool"];
  const log = createLog({ name: "isdlc-server", write: (line) => lines.push(line), secrets: [] });
  const observing = { metrics: createServerMetrics(pool), tracing: startTracing("isdlc-server", {}) };
  const server = { pool, log, authentication: createAuthentication(pool), ...observing } as unknown as TeamServer;
  const headers = { authorization: `Bearer isdlc_person_${"A".repeat(43)}` };
  const answer = await createTeamApp(server, null).request("/api/runs", { headers }, {});
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("signed in");
  expect(lines).toHaveLength(1);
  // oxlint-disable-next-line no-control-regex -- it is what must not be there
  expect(lines[0]).not.toMatch(/[\n\u001b\u0080-\u009f\u202e\u2028]/);
  expect(JSON.parse(lines[0] ?? "").error.message).toBe(error.message);
});
