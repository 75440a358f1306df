import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { createServerClient } from "../../src/adapters/remote/server-client.ts";
import { problemResult } from "../../src/surfaces/cli/main/run-cli.ts";
import { describe as described, type Problem, ProblemError } from "../../src/core/problem.ts";
import { createSandbox, parsed } from "../support/cli.ts";

type Reply = { readonly status: number; readonly body: string };

let reply: Reply = { status: 500, body: "" };
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(reply.status, { "content-type": "application/json" });
    response.end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

/** Reply of a server that refuses with this problem. */
const refusing = (status: number, problem: Problem): Reply => ({
  status,
  body: JSON.stringify({ problem: { ...problem, ...described(problem) } }),
});

async function refused(): Promise<Problem> {
  const ask = createServerClient({ url, token: "isdlc_person_0000000000000000000000" });
  const error: unknown = await ask({ method: "GET", path: "/api/team", answer: z.object({}) }).catch((one) => one);
  expect(error).toBeInstanceOf(ProblemError);
  return (error as ProblemError).problem;
}

test("repeats a request for its patience, even if the clock is set forward by hours", async () => {
  reply = { status: 503, body: "{}" };
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const ask = createServerClient({ url, token: "isdlc_person_0000000000000000000000" });
  const asked = ask({ method: "GET", path: "/api/team", answer: z.object({}), patience: 60_000 });
  server.once("request", () => {
    vi.setSystemTime(Date.now() + 5 * 3_600_000);
    reply = { status: 200, body: "{}" };
  });
  expect(await asked).toEqual({});
});

describe("problem reported by a team server", () => {
  test.for<[number, Problem]>([
    [400, { code: "USAGE", detail: "There is no repository here.", usage: "isdlc request" }],
    [403, { code: "NOT_ALLOWED", what: "You are viewer.", fix: "Ask an admin." }],
    [403, { code: "PASSKEY_NEEDED", verb: "continue", repository: "sample" }],
    [404, { code: "NO_RUN", elsewhere: [] }],
    [409, { code: "COMMAND_REFUSED", refusal: { why: "notOpen", open: "03-design#1/gate-7" } }],
    [409, { code: "RUN_AWAY", run: "r1", to: "bob's laptop" }],
  ])("has the same lines, facts and exit code as a local one: %s %o", async ([status, problem]) => {
    reply = refusing(status, problem);
    const here = problemResult(problem);
    const there = problemResult(await refused());
    expect(there.code).toBe(here.code);
    expect(there.lines).toEqual(here.lines);
    expect(there.json).toEqual({ ok: false, problem: { ...(here.json["problem"] as object), server: url } });
  });

  test("exits with 2 for wrong usage and 1 for any other problem", async () => {
    const sandbox = await createSandbox();
    const login = ["login", url, "--token", "isdlc_person_0000000000000000000000"];
    reply = refusing(400, { code: "USAGE", detail: "Not so.", usage: "isdlc login <url>" });
    expect(await sandbox.script(...login)).toMatchObject({
      code: 2,
      stderr: "USAGE: Not so.\n  Usage: isdlc login <url>\n",
    });
    reply = refusing(403, { code: "NOT_ALLOWED", what: "Not you.", fix: "Ask somebody." });
    expect(await sandbox.script(...login)).toMatchObject({
      code: 1,
      stderr: "NOT_ALLOWED: Not you.\n  Ask somebody.\n",
    });
    const told = await sandbox.script(...login, "--json");
    expect(told.code).toBe(1);
    expect(parsed(told)).toEqual({
      ok: false,
      problem: { code: "NOT_ALLOWED", what: "Not you.", fix: "Ask somebody.", server: url },
    });
  });
});

describe("invalid problem from a team server", () => {
  const problem = { code: "NOT_ALLOWED", what: "what", fix: "fix" };
  test.for<[string, unknown]>([
    ["a proxy's error page", "<html>Bad gateway</html>"],
    ["nothing", ""],
    ["a list", []],
    ["a problem without text", { problem: { code: "NOT_ALLOWED" } }],
    ["text of the wrong type", { problem: { ...problem, what: { toString: "x" } } }],
    ["a code with an escape sequence", { problem: { ...problem, code: "\u001B[2J" } }],
    ["a code with a line break", { problem: { ...problem, code: "OK\nDone" } }],
    ["an oversized code", { problem: { ...problem, code: "A".repeat(100_000) } }],
  ])("is reported as SERVER_REFUSED with its status: %s", async ([, body]) => {
    reply = { status: 502, body: typeof body === "string" ? body : JSON.stringify(body) };
    const { code, lines } = problemResult(await refused());
    expect(code).toBe(1);
    expect(lines[0]).toBe(`SERVER_REFUSED: ${url}: It answered with 502.`);
  });
});

test("neutralizes escape sequences in a server's text [S7]", async () => {
  const sandbox = await createSandbox();
  const hostile = "\u001B]52;c;cm0=\u0007\u001B[2J\u202Eno";
  reply = refusing(403, { code: "NOT_ALLOWED", what: hostile, fix: hostile });
  const { stderr } = await sandbox.script("login", url, "--token", "isdlc_person_0000000000000000000000");
  expect(stderr).toContain("NOT_ALLOWED");
  for (const mark of ["\u001B", "\u0007", "\u202E"]) expect(stderr).not.toContain(mark);
});
