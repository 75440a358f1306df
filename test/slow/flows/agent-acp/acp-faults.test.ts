import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemProcessTable } from "../../../../src/adapters/process/process-table.ts";
import type { AgentEnd } from "../../../../src/ports/agent-backend.ts";
import { agentTask } from "../../../agent-claude/agent-task.ts";
import {
  DONE,
  fakeBackend,
  listPrompts,
  runFake,
  type Behaviour,
  type PlayStep,
} from "../../../agent-acp/run-fake-acp.ts";
import { removeTemporary } from "../../../support/remove-temporary.ts";

const TOOL = '{"sessionId":"s-1","update":{"sessionUpdate":"tool_call","toolCallId":"1","status":"in_progress"';

const table = systemProcessTable();
const alive = (nonce: string) =>
  table.all().filter(({ pid }) => table.environment(pid)?.includes(`ISDLC_NONCE=${nonce}`));
const brief = { silence: 1, turns: null, usd: null };

describe("missing or invalid result", () => {
  test.each<[string, PlayStep[]]>([
    ["missing", [{ say: "All done." }]],
    ["with an unknown status", [{ say: '{"status":"perfect"}' }]],
    ["in a sentence", [{ say: 'I say {"status":"done"} when I am done.' }]],
    [
      "before the last tool call",
      [{ say: DONE }, { update: { sessionUpdate: "tool_call", toolCallId: "1", title: "Read" } }],
    ],
  ])("asks again in the same conversation after a result %s", async (_, first) => {
    const { end, received, progress } = await runFake({ plays: [first, [{ say: DONE }]] });
    expect(end).toMatchObject({ how: "result", result: { status: "done" } });
    expect(listPrompts(received)).toHaveLength(2);
    expect(listPrompts(received)[1]).toContain('"needs_input"');
    expect(progress.at(-1)).toBe("Its answer has no valid result; asking again");
  });

  test.each([
    { name: "missing", reason: "no_result", detail: "even when asked again", say: "All done." },
    { name: "wrong", reason: "invalid_result", detail: "status", say: '{"status":"perfect"}' },
    { name: "a verdict", reason: "invalid_result", detail: "status", say: '{"approved":true}' },
  ])("fails after $name in two replies", async ({ reason, detail, say }) => {
    const play = [{ say }];
    const { end, received } = await runFake({ plays: [play, play, [{ say: DONE }]] });
    expect(end).toMatchObject({
      how: "failed",
      reason,
      again: true,
      detail: expect.stringContaining(detail) as string,
    });
    expect(listPrompts(received)).toHaveLength(2);
  });

  test("treats an empty turn as no result, without asking again", async () => {
    const { end, received } = await runFake({ plays: [[], [{ say: DONE }]] });
    expect(end).toMatchObject({ how: "failed", reason: "no_result", again: true, usage: null });
    expect(listPrompts(received)).toHaveLength(1);
  });
});

describe("end of a turn and of the agent [R9]", () => {
  const dies = (deed: PlayStep): Behaviour => ({ plays: [[{ say: "Working.\n" }, { stderr: "boom" }, deed]] });
  const fails = (method: string, error: unknown): Behaviour => ({
    errors: { [method]: error },
    plays: [[{ say: DONE }]],
  });
  const ends = (reason: string, again: boolean, detail: RegExp) => ({
    how: "failed",
    reason,
    again,
    detail: expect.stringMatching(detail) as string,
  });
  const internal = { code: -32603, message: "Internal error", data: { details: "API Error: 500" } };

  test.each<[string, Behaviour, object]>([
    ["max_tokens", { plays: [[{ say: DONE }, { stop: "max_tokens" }]] }, ends("agent_failed", true, /tokens/)],
    [
      "max_turn_requests",
      { plays: [[{ say: DONE }, { stop: "max_turn_requests" }]] },
      ends("agent_failed", false, /calls/),
    ],
    ["refusal", { plays: [[{ say: DONE }, { stop: "refusal" }]] }, ends("agent_failed", false, /refused/)],
    ["cancelled", { plays: [[{ say: DONE }, { stop: "cancelled" }]] }, ends("agent_failed", true, /cancelled/)],
    ["an unknown stop reason", { plays: [[{ say: DONE }, { stop: "bored" }]] }, ends("agent_failed", false, /bored/)],
    [
      "no stop reason",
      { plays: [[{ say: DONE }, { respond: { result: {} } }]] },
      ends("agent_failed", false, /stopReason/),
    ],
    [
      "an internal error",
      fails("session/prompt", internal),
      ends("unavailable", true, /Internal error: API Error: 500/),
    ],
    [
      "a rejected key",
      fails("session/new", { code: -32000, message: "Sign in" }),
      ends("agent_failed", false, /^Sign in/),
    ],
    ["status 401", fails("session/prompt", { code: 401, message: "no key" }), ends("agent_failed", false, /no key/)],
    ["status 429", fails("session/prompt", { code: 429, message: "slow" }), ends("unavailable", true, /slow/)],
    [
      "an internal error without a reason",
      fails("session/prompt", { code: -32603, message: "Internal error" }),
      ends("agent_failed", true, /^Internal error$/),
    ],
    ["an error without a code", fails("session/prompt", "oops"), ends("agent_failed", false, /cannot be read/)],
    [
      "an error with deeply nested details",
      {
        plays: [[{ deep: { before: '"id":3,"error":{"code":1,"message":"odd","data":', after: "}" } }, { hang: true }]],
      },
      ends("agent_failed", false, /^odd: with details/),
    ],
    [
      "a tool call with deeply nested input",
      {
        plays: [
          [{ deep: { before: `"method":"session/update","params":${TOOL},"rawInput":`, after: "}}" } }, { say: DONE }],
        ],
      },
      { how: "result" },
    ],
    ["a request with a very long path", { plays: [[{ readFar: true }, { say: DONE }]] }, { how: "result" }],
    ["an unknown method", fails("initialize", { code: -32601, message: "no" }), ends("agent_failed", false, /^no/)],
    ["a different protocol version", { initialize: { protocolVersion: 2 } }, ends("not_started", false, /version 2/)],
    ["an invalid initialize response", { initialize: [] }, ends("agent_failed", false, /unknown way/)],
    ["exit code 0 during a turn", dies({ exit: 0 }), ends("no_result", true, /exit code 0: boom/)],
    ["exit code 3 during a turn", dies({ exit: 3 }), ends("bad_exit", true, /exit code 3: boom/)],
    ["a crash", dies({ kill: "SIGKILL" }), ends("bad_exit", true, /SIGKILL/)],
    [
      "exit during initialize",
      { exitsAt: "initialize", exitCode: 1, garbage: "usage: …\n" },
      ends("bad_exit", true, /usage/),
    ],
    ["exit before the session", { exitsAt: "session/new", exitCode: 0 }, ends("no_result", true, /exit code 0/)],
    ["a message of 9 MB", { plays: [[{ longMessage: 9_000_000 }]] }, ends("agent_failed", false, /too long/)],
  ])("reports how the agent ended after %s", async (_, behaviour, expected) => {
    const nonce = `fault-${process.pid}-${performance.now()}`;
    const { end } = await runFake(behaviour, { nonce });
    expect(end).toMatchObject(expected);
    expect(alive(nonce)).toEqual([]);
  });

  test.each<[string, Behaviour]>([
    ["silence during a turn", { plays: [[{ say: "Working.\n" }, { hang: true }]] }],
    ["silence from the start", { ignores: "initialize" }],
    ["half a message that swallows the next one", { plays: [[{ say: DONE }, { raw: '{"jsonrpc":"2.0","method' }]] }],
    ["output without an answer", { ignores: "initialize", chatters: true }],
  ])("ends a silent agent after %s", async (_, behaviour) => {
    const nonce = `silent-${process.pid}-${performance.now()}`;
    const { end } = await runFake(behaviour, { nonce, limits: brief });
    const detail = expect.stringMatching(/^it (?:wrote nothing for|did not answer within) 1 seconds$/) as string;
    expect(end).toMatchObject({ how: "failed", reason: "silent", detail, again: true });
    expect(alive(nonce)).toEqual([]);
  });

  test("ends an agent with too much output", async () => {
    const { end } = await runFake({ plays: [[{ flood: 300_000_000 }, { say: DONE }]] });
    expect(end).toMatchObject({
      how: "failed",
      reason: "agent_failed",
      again: false,
      detail: expect.stringMatching(/more/) as string,
    });
  });

  test("reports a missing program as not started", async () => {
    const { end } = await runFake({}, {}, { argv: ["/no/such/agent"] });
    expect(end).toMatchObject({ how: "failed", reason: "not_started", again: false, session: null });
  });
});

describe("processes of the agent [R9]", () => {
  test.each<[string, Behaviour]>([
    ["that ignores the end of its input", { stays: true }],
    ["that also ignores signals", { stays: true, ignoresSignals: true }],
  ])("ends an agent %s and keeps its result", async (_, behaviour) => {
    const nonce = `stays-${process.pid}-${performance.now()}`;
    const { end } = await runFake({ ...behaviour, plays: [[{ say: DONE }]] }, { nonce });
    expect(end.how).toBe("result");
    expect(alive(nonce)).toEqual([]);
  });

  test.each<[string, Behaviour, PlayStep]>([
    ["heeds", {}, { untilCancelled: true }],
    ["ignores", { stays: true, ignoresSignals: true }, { hang: true }],
  ])("ends an agent that %s the abort", async (_, behaviour, deed) => {
    const folder = mkdtempSync(join(tmpdir(), "isdlc-fake-acp-"));
    const notes = join(folder, "notes");
    const plays = [[{ say: "Working.\n" }, deed, { say: DONE }]];
    const task = agentTask(folder);
    const stop = new AbortController();
    const ends: AgentEnd[] = [];
    for await (const event of fakeBackend({ loads: true, ...behaviour, plays }, notes).run(task, stop.signal)) {
      if (event.type === "end") ends.push(event);
      stop.abort();
    }
    expect(ends).toMatchObject([{ how: "failed", reason: "aborted", again: true, session: "s-1" }]);
    expect(readFileSync(notes, "utf8")).toContain('"method":"session/cancel","params":{"sessionId":"s-1"}');
    expect(alive(task.nonce)).toEqual([]);
    removeTemporary(folder);
  });

  test("ends the agent if it is aborted before the session exists", async () => {
    const folder = mkdtempSync(join(tmpdir(), "isdlc-fake-acp-"));
    const notes = join(folder, "notes");
    const task = agentTask(folder);
    const stop = new AbortController();
    const watch = setInterval(() => existsSync(notes) && stop.abort(), 10);
    const ends: string[] = [];
    for await (const event of fakeBackend({ ignores: "initialize" }, notes).run(task, stop.signal)) {
      if (event.type === "end" && event.how === "failed") ends.push(event.reason);
    }
    clearInterval(watch);
    expect(ends).toEqual(["aborted"]);
    expect(alive(task.nonce)).toEqual([]);
    removeTemporary(folder);
  });
});
