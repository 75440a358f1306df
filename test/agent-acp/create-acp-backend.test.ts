import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAcpBackend } from "../../src/adapters/agents/acp/backend.ts";
import { systemProcessTable } from "../../src/adapters/process/process-table.ts";
import { agentTask } from "../agent-claude/agent-task.ts";
import { runBackend } from "../agent-claude/run-backend.ts";
import { describeBackend } from "../contracts/agent-backend.ts";
import { DONE, FAKE_ACP, fakeBackend, listPrompts, runFake, type PlayStep } from "./run-fake-acp.ts";

const table = systemProcessTable();
const alive = (nonce: string) =>
  table.all().filter(({ pid }) => table.environment(pid)?.includes(`ISDLC_NONCE=${nonce}`));
const result = { status: "done", summary: "Written.", decisions: [], artifacts: [], questions: [] };

describeBackend("acp", (script) => {
  const answer = script.result ?? script.verdict;
  const usage = script.usage && { inputTokens: script.usage.input, outputTokens: script.usage.output };
  const play: PlayStep[] = [
    ...script.says.map((text) => ({ say: `${text}\n` })),
    ...script.writes.map((write) => ({ write })),
    ...(script.hangs ? [{ hang: true }] : []),
    ...(answer === null ? [] : [{ say: `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` }]),
    { respond: { result: { stopReason: "end_turn", usage } } },
  ];
  return fakeBackend({ plays: [play, play] }, "/dev/null");
});

describe("conversation", () => {
  test("initializes, opens a session in the working directory, prompts, and reads the result", async () => {
    const { end, received, progress } = await runFake(
      { plays: [[{ say: `Hello.\n\n${DONE}` }]] },
      { prompt: "PROMPT" },
    );
    expect(end).toEqual({ type: "end", how: "result", result, usage: null, session: null });
    expect(progress).toEqual(["Hello."]);
    expect(received.map(({ method }) => method)).toEqual(["initialize", "session/new", "session/prompt"]);
    const [greeting, opened] = received.map(({ params }) => params);
    const noFiles = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
    expect(greeting).toMatchObject({ protocolVersion: 1, clientCapabilities: noFiles });
    expect(opened).toMatchObject({ cwd: expect.stringContaining("isdlc-fake-acp-") as string, mcpServers: [] });
    const [text = ""] = listPrompts(received);
    expect(text).toMatch(/^You design software\.\n\nPROMPT\n\n[^]*```json block[^]*"needs_input"/);
  });

  test.each(["session/new", "session/load"])("sends agent-specific metadata with %s", async (method) => {
    const session = method === "session/load" ? "s-1" : null;
    const meta = { claudeCode: { options: { settingSources: ["user"] } } };
    const { received } = await runFake({ loads: true, plays: [[{ say: DONE }]] }, { session }, { meta });
    expect(received.find((message) => message.method === method)?.params["_meta"]).toEqual(meta);
  });

  test("asks a reviewer for a verdict and reads it", async () => {
    const verdict = { approved: false, issues: [], summary: "No." };
    const { end, received } = await runFake({ plays: [[{ say: JSON.stringify(verdict) }]] }, { role: "reviewer" });
    expect(end).toMatchObject({ how: "verdict", verdict });
    expect(listPrompts(received)[0]).toContain('"approved"');
  });

  test("joins text chunks into lines and omits the result", async () => {
    const pieces = ["Read", "ing the fi", "les\nand wri", "ting\n```js", 'on\n{"status":', '"done"}\n', "```"];
    const { end, progress } = await runFake({ plays: [pieces.map((say) => ({ say }))] });
    expect(end.how).toBe("result");
    expect(progress).toEqual(["Reading the files", "and writing"]);
  });

  test("shows each tool call once, and ignores a result before the last tool call", async () => {
    const call = { toolCallId: "1", title: "Write", kind: "edit", locations: [{ path: "/tmp/a.ts" }] };
    const play = [
      { say: `Now.${DONE}` },
      { update: { sessionUpdate: "tool_call", ...call, status: "pending" } },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" } },
      { update: { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" } },
    ];
    const { progress, received } = await runFake({ plays: [play, [{ say: DONE }]] }, { cwd: "/tmp" });
    expect(progress.slice(0, 2)).toEqual(["Now.```json", "Write a.ts"]);
    expect(listPrompts(received)).toHaveLength(2);
  });

  test("ignores unknown messages, updates and sessions", async () => {
    const play = [
      { elsewhere: "another agent speaks" },
      { update: { sessionUpdate: "tomorrow", plan: 1 } },
      { update: { sessionUpdate: "agent_message_chunk" } },
      { raw: '\nwarning: something\n[]\nnull\n{}\n{"jsonrpc":"2.0","id":999,"result":1}\n' },
      { raw: '{"jsonrpc":"2.0","method":"later/notice","params":{}}\n' },
      { messages: ["First.", DONE] },
    ];
    const { end, progress } = await runFake({ plays: [play] });
    expect(end.how).toBe("result");
    expect(progress).toEqual(["First."]);
  });

  test("shows progress as one short line without control characters [S7]", async () => {
    const text = `Hi \u001B]52;c;ZXZpbA==\u0007there\u202E ${"x".repeat(500)}\n${DONE}`;
    const { progress } = await runFake({ plays: [[{ say: text }]] });
    expect(progress[0]).toMatch(/^Hi \]52;c;ZXZpbA== there x+…$/);
    expect(progress[0]).toHaveLength(200);
  });

  test.each(["fs/read_text_file", "fs/write_text_file", "terminal/create", "elicitation/create"])(
    "does not offer %s",
    async (method) => {
      const { received } = await runFake({ plays: [[{ ask: { method, params: {} } }, { say: DONE }]] });
      expect(received).toContainEqual(expect.objectContaining({ error: expect.objectContaining({ code: -32601 }) }));
    },
  );

  test("passes secrets in messages on unchanged", async () => {
    const summary = "key sk-live-0123456789";
    const say = `Found ${summary}\n${JSON.stringify({ status: "done", summary })}`;
    const { end, progress } = await runFake({ plays: [[{ say }]] });
    expect(progress).toEqual([`Found ${summary}`]);
    expect(end).toMatchObject({ result: { summary } });
  });

  test("passes the user's environment and markers, but no other ISDLC variable [S11]", async () => {
    const env = { KEPT: "yes", ISDLC_OPERATOR_TOKEN: "isdlc_secret" };
    const play = [{ environment: ["KEPT", "ISDLC_NONCE", "ISDLC_AGENT", "ISDLC_OPERATOR_TOKEN"] }, { say: DONE }];
    const { progress } = await runFake({ plays: [play] }, { nonce: "n-7" }, { env });
    expect(progress).toEqual(["yes n-7 1 nothing"]);
  });
});

describe("earlier conversation", () => {
  const session = "s-0";
  const old = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `Old words.\n${DONE}` } };

  test("continues, without the output of its replay", async () => {
    const behaviour = {
      loads: true,
      session,
      replays: [old],
      plays: [[{ say: "Hm." }], [{ say: '{"status":"failed"}' }]],
    };
    const { end, progress, received } = await runFake(behaviour, { session });
    expect(received.map(({ method }) => method).slice(0, 3)).toEqual(["initialize", "session/load", "session/prompt"]);
    expect(received[1]?.params).toMatchObject({ sessionId: session, mcpServers: [] });
    expect(end).toMatchObject({ how: "result", result: { status: "failed" }, session });
    expect(progress).not.toContain("Old words.");
  });

  test.each([
    { name: "is missing", behaviour: { loads: true, forgets: true }, asks: true, kept: "s-1" },
    { name: "is not resumable", behaviour: {}, asks: false, kept: null },
  ])("is replaced by a new one if it $name", async ({ behaviour, asks, kept }) => {
    const { end, progress, received } = await runFake({ ...behaviour, plays: [[{ say: DONE }]] }, { session });
    expect(end).toMatchObject({ how: "result", session: kept });
    expect(progress).toEqual(["The earlier conversation is gone; starting a new one"]);
    const methods = received.map(({ method }) => method);
    expect([methods.includes("session/load"), methods.includes("session/new")]).toEqual([asks, true]);
  });
});

describe("agent mode", () => {
  const mode = { read: "plan", write: "autoEdit" };
  const plays = [[{ say: DONE }]];
  const modeSet = async (modes: string[], access: "read" | "write") => {
    const { received, progress } = await runFake({ modes, plays }, { access }, { mode });
    return { set: received.find(({ method }) => method === "session/set_mode")?.params, progress };
  };

  test.each([
    ["read", "plan"],
    ["write", "autoEdit"],
  ] as const)("is set for access to %s: %s", async (access, modeId) => {
    expect((await modeSet(["default", "plan", "autoEdit"], access)).set).toEqual({ sessionId: "s-1", modeId });
  });

  test("is set among several configuration options", async () => {
    const options = [{ value: "build" }, { value: "plan" }].map((option) => ({ ...option, name: option.value }));
    const configOptions = [
      { id: "fast", type: "boolean", currentValue: true, name: "Fast" },
      { id: "model", category: "model", type: "select", options: [{ value: "plan" }] },
      { id: "style", category: "mode", type: "select", options },
    ];
    const { received, end } = await runFake({ configOptions, plays }, { access: "read" }, { mode });
    expect(end.how).toBe("result");
    const set = received.find(({ method }) => method === "session/set_config_option")?.params;
    expect(set).toEqual({ sessionId: "s-1", configId: "style", value: "plan" });
  });

  const errors = { "session/set_mode": { code: -32603, message: "not here" } };
  const refused = { errors, modes: ["plan", "autoEdit"], plays };
  const unoffered = { modes: ["default"], plays };
  const sandbox = (argv: readonly string[]) => argv;

  test.for([
    ["write", "refused", refused, {}, 'It refuses the mode "autoEdit": not here'],
    ["write", "not offered", unoffered, {}, 'It offers no mode "autoEdit"'],
    ["read", "refused in a sandbox", refused, { sandbox }, 'It refuses the mode "plan": not here'],
    ["read", "not offered in a sandbox", unoffered, { sandbox }, 'It offers no mode "plan"'],
  ] as const)("is reported for access to %s if %s, and work continues", async ([access, , behaviour, more, told]) => {
    const { end, progress } = await runFake(behaviour, { access }, { mode, ...more });
    expect([end.how, progress]).toEqual(["result", [told]]);
  });

  test.each([
    ["refused", refused, 'It refuses the mode "plan": not here'],
    ["not offered", unoffered, 'It offers no mode "plan"'],
    ["there are no modes", { plays }, 'It offers no mode "plan"'],
  ])("ends a read-only task before its prompt if %s [S4]", async (_, behaviour, detail) => {
    const { end, received } = await runFake(behaviour, { access: "read" }, { mode });
    expect(end).toMatchObject({ how: "failed", reason: "not_started", detail, again: false });
    expect(listPrompts(received)).toEqual([]);
  });

  test("is not set for an agent without modes", async () => {
    const { end } = await runFake({ plays }, { access: "read" }, { mode: { read: null, write: null } });
    expect(end.how).toBe("result");
  });
});

describe("probe and digest", () => {
  const probe = (argv: string[], more: Record<string, string> = {}) =>
    createAcpBackend({ name: "fake", argv, env: { ...process.env, ...more } }).probe();

  test.each([
    ["a version", "fake 1.2.3", "1.2.3"],
    ["an unknown version", "fake", "unknown"],
  ])("report %s", async (_, told, version) => {
    const able = { readOnly: false, cost: false, structuredResult: false, turns: false, budget: false, resumes: false };
    expect(await probe([FAKE_ACP, "--acp"], { FAKE_ACP_VERSION: told })).toEqual({ version, ...able });
  });

  test.each([
    [["/no/such/agent"], {}, /there is no/],
    [["agent-that-is-nowhere"], {}, /on the PATH/],
    [[], {}, /./],
    [[FAKE_ACP], { FAKE_ACP_EXIT: "3", FAKE_ACP_VERSION: "broken installation" }, /broken installation/],
  ])("report a problem for %j", async (argv, env, detail) => {
    const problem = { code: "AGENT_MISSING", agent: "fake", detail: expect.stringMatching(detail) as string };
    expect(await probe(argv, env)).toEqual(problem);
  });

  test("include program, arguments and modes, but not the environment", () => {
    const digest = (argv: string[], env = {}, mode = { read: null as string | null, write: null }) =>
      createAcpBackend({ name: "fake", argv, env, mode }).digest;
    expect(digest(["a", "b"], { A: "1" })).toBe(digest(["a", "b"], { B: "2" }));
    const others = [digest(["a"]), digest(["a", "b"]), digest(["a"], {}, { read: "plan", write: null })];
    expect(new Set(others).size).toBe(3);
  });
});

test("reports read-only access for an agent in a sandbox", async () => {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-fake-acp-"));
  const places: unknown[] = [];
  const sandbox = (argv: readonly string[], place: unknown) => {
    places.push(place);
    return argv;
  };
  const backend = fakeBackend({ plays: [[{ say: DONE }]] }, join(folder, "notes"), { sandbox });
  const { end } = await runBackend(backend, agentTask(folder, { nonce: "sandboxed" }));
  expect(end.how).toBe("result");
  expect(places).toEqual([{ cwd: folder, access: "write" }]);
  expect(await backend.probe()).toMatchObject({ readOnly: true });
  expect(alive("sandboxed")).toEqual([]);
  rmSync(folder, { recursive: true });
});
