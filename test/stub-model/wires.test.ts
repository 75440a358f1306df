import { afterEach, describe, expect, test } from "vitest";
import type { Fault, Turn } from "./scenario.ts";
import { startStubModel } from "./start-stub-model.ts";
import type { StubModel } from "./start-stub-model.ts";

type Json = Record<string, unknown>;

/** One API from the client's view: its requests, and the fields of its stream. */
type Client = {
  readonly name: string;
  readonly path: string;
  readonly plainPath: string;
  readonly first: Json;
  /** The next request, after the call with that id was answered. */
  readonly next: (callId: string) => Json;
  readonly tool: string;
  /** Text and call of a complete stream. */
  readonly read: (events: readonly Json[]) => { text: string; callId: unknown; input: unknown };
  readonly closing: unknown;
  readonly usage: Json;
  readonly refusal: Json;
};

const at = (value: unknown, ...keys: (string | number)[]): unknown =>
  keys.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
const joined = (values: readonly unknown[]): string => values.filter((value) => typeof value === "string").join("");
const CONTENT = 'quote " and\nnewline '.repeat(5);
const parsedJson = (values: readonly unknown[]): unknown => JSON.parse(joined(values)) as unknown;

const responses: Client = {
  name: "OpenAI Responses",
  path: "/v1/responses",
  plainPath: "/v1/responses",
  first: {
    model: "m",
    stream: true,
    instructions: "You design.",
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be brief." }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "GO" }] },
    ],
    tools: [{ type: "function", name: "exec_command" }, { type: "web_search" }],
  },
  next: (call_id) => ({
    ...responses.first,
    input: [
      ...(responses.first["input"] as unknown[]),
      { type: "reasoning", summary: [] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Working." }] },
      { type: "function_call", call_id, name: "exec_command", arguments: "{}" },
      { type: "function_call_output", call_id, output: "a.txt" },
    ],
  }),
  tool: "exec_command",
  read: (events) => {
    const of = (type: string) => events.filter((event) => event["type"] === type).map((event) => event["delta"]);
    return {
      text: joined(of("response.output_text.delta")),
      callId: events.map((event) => at(event, "item", "call_id")).find((id) => id !== undefined),
      input: parsedJson(of("response.function_call_arguments.delta")),
    };
  },
  closing: { type: "response.completed", response: { status: "completed", usage: { total_tokens: 10 } } },
  usage: { input_tokens: 8, input_tokens_details: { cached_tokens: 3 }, output_tokens: 2 },
  refusal: { error: { type: "rate_limit_exceeded", message: "slow down" } },
};

const chat: Client = {
  name: "OpenAI Chat Completions",
  path: "/v1/chat/completions",
  plainPath: "/v1/chat/completions",
  first: {
    model: "m",
    stream: true,
    messages: [
      { role: "system", content: "You design." },
      { role: "developer", content: [{ type: "text", text: "Be brief." }] },
      { role: "user", content: "GO" },
    ],
    tools: [{ type: "function", function: { name: "bash" } }],
  },
  next: (id) => ({
    ...chat.first,
    messages: [
      ...(chat.first["messages"] as unknown[]),
      { role: "assistant", content: null, tool_calls: [{ id, type: "function", function: { name: "bash" } }] },
      { role: "tool", tool_call_id: id, content: "a.txt" },
    ],
  }),
  tool: "bash",
  read: (events) => {
    const deltas = events.map((event) => at(event, "choices", 0, "delta"));
    const calls = deltas.map((delta) => at(delta, "tool_calls", 0));
    return {
      text: joined(deltas.map((delta) => at(delta, "content"))),
      callId: calls.map((call) => at(call, "id")).find((id) => id !== undefined),
      input: parsedJson(calls.map((call) => at(call, "function", "arguments"))),
    };
  },
  closing: "[DONE]",
  usage: { prompt_tokens: 8, prompt_tokens_details: { cached_tokens: 3 }, completion_tokens: 2 },
  refusal: { error: { type: "rate_limit_exceeded", message: "slow down" } },
};

const gemini: Client = {
  name: "Gemini",
  path: "/v1beta/models/m:streamGenerateContent?alt=sse",
  plainPath: "/v1beta/models/m:generateContent",
  first: {
    systemInstruction: { parts: [{ text: "You design." }, { text: "Be brief." }] },
    contents: [{ role: "user", parts: [{ text: "GO" }] }],
    tools: [{ functionDeclarations: [{ name: "run_shell_command" }] }],
  },
  next: (id) => ({
    ...gemini.first,
    contents: [
      ...(gemini.first["contents"] as unknown[]),
      { role: "model", parts: [{ text: "hm", thought: true }, { functionCall: { id, name: "run_shell_command" } }] },
      { role: "user", parts: [{ functionResponse: { id, response: { output: "a.txt" } } }] },
    ],
  }),
  tool: "run_shell_command",
  read: (events) => {
    const parts = events.map((event) => at(event, "candidates", 0, "content", "parts", 0));
    const call = parts.map((part) => at(part, "functionCall")).find((value) => value !== undefined);
    return { text: joined(parts.map((part) => at(part, "text"))), callId: at(call, "id"), input: at(call, "args") };
  },
  closing: { candidates: [{ finishReason: "STOP" }], usageMetadata: { totalTokenCount: 10 } },
  usage: { promptTokenCount: 8, cachedContentTokenCount: 3, candidatesTokenCount: 2 },
  refusal: { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "slow down" } },
};

let model: StubModel | null = null;
afterEach(async () => {
  await model?.close();
  model = null;
});

describe.each([responses, chat, gemini])("$name", (client) => {
  const start = async (...turns: Turn[]): Promise<StubModel> => {
    model = await startStubModel({ rules: [{ name: "r", when: { prompt: "GO", system: "You design." }, turns }] });
    return model;
  };
  const ask = (body: Json, path = client.path): Promise<Response> =>
    fetch(`${model?.url}${path}`, { method: "POST", body: JSON.stringify(body) });
  const streamed = async (body: Json): Promise<{ events: readonly Json[]; last: unknown }> => {
    const response = await ask(body);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
    const values = lines.map((line) => line.slice("data: ".length));
    const events = values.filter((value) => value !== "[DONE]").map((value) => JSON.parse(value) as Json);
    return { events, last: values.at(-1) === "[DONE]" ? "[DONE]" : events.at(-1) };
  };
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };

  test("streams text and call in pieces with usage, and ends like the API", async () => {
    const input = { note: CONTENT };
    const { refused } = await start({
      text: "Some text, longer than one piece.",
      calls: [{ tool: client.tool, input }],
      usage,
    });
    const { events, last } = await streamed(client.first);
    expect(client.read(events)).toEqual({
      text: "Some text, longer than one piece.",
      callId: expect.stringContaining("rule0turn0") as string,
      input,
    });
    expect(events.length).toBeGreaterThan(3);
    expect({ last }).toMatchObject({ last: client.closing });
    expect(JSON.stringify(events)).toContain(JSON.stringify(client.usage).slice(1, -1));
    expect(refused).toEqual([]);
  });

  test("derives the next turn from the history, in one format for all APIs", async () => {
    const { calls } = await start({ calls: [{ shell: "ls" }] }, { json: { status: "done" } });
    const { callId } = client.read((await streamed(client.first)).events);
    const { events } = await streamed(client.next(String(callId)));
    expect(JSON.stringify(events)).toContain("status");
    expect(calls.map(({ matched }) => matched?.turn)).toEqual([0, 1]);
    expect(calls[0]?.request).toMatchObject({ model: "m", stream: true, tools: expect.arrayContaining([client.tool]) });
    expect(calls[0]?.body).toEqual(client.first);
    expect(calls[0]?.request.system).toBe("You design.\nBe brief.");
    const result = calls[1]?.request.messages.at(-1);
    expect(result).toMatchObject({ role: "tool", text: expect.stringContaining("a.txt"), callIds: [callId] });
  });

  test("returns the same as a plain answer", async () => {
    await start({ text: "Whole.", calls: [{ shell: "ls" }], usage });
    const answer = await ask({ ...client.first, stream: false }, client.plainPath).then((response) => response.json());
    const text = JSON.stringify(answer);
    for (const part of ["Whole.", client.tool, "rule0turn0", JSON.stringify(client.usage).slice(1, -1)]) {
      expect(text).toContain(part);
    }
  });

  test("returns a status in the format of the API", async () => {
    await start({ fault: { status: 429, message: "slow down" } });
    const refusal = await ask(client.first);
    expect(refusal.status).toBe(429);
    expect(await refusal.json()).toMatchObject(client.refusal);
  });

  test("ends early without the closing event", async () => {
    await start({ text: "Some text, longer than one piece.", fault: { endAfterEvents: 1 } });
    const { events, last } = await streamed(client.first);
    expect(events).toHaveLength(1);
    expect(JSON.stringify(last)).not.toMatch(/DONE|STOP|completed/);
  });

  test.each<Fault>([{ cutAfterEvents: 1 }, { reset: true }])("breaks the connection with %j", async (fault) => {
    await start({ text: "Hello", fault });
    await expect(streamed(client.first)).rejects.toThrow(/terminated|fetch failed/);
  });

  test("returns a page with status 200 as garbage", async () => {
    await start({ text: "Hello", fault: { garbage: true } });
    const page = await ask(client.first);
    expect(page.status).toBe(200);
    expect(await page.text()).toMatch(/^<html>/);
  });

  test("treats a request without tools as a side call", async () => {
    const { calls } = await start();
    expect((await ask({ ...client.first, tools: [] })).status).toBe(200);
    expect(calls).toEqual([]);
  });
});

test("ignores Codex's environment message as prompt in OpenAI Responses", async () => {
  const turns = [{ text: "Hello" }];
  model = await startStubModel({ rules: [{ name: "any", turns }] });
  const surroundings = { type: "message", role: "user", content: "<environment_context>\n  <cwd>/p</cwd>" };
  const body = { ...responses.first, input: [surroundings, ...(responses.first["input"] as unknown[])] };
  await fetch(`${model.url}${responses.path}`, { method: "POST", body: JSON.stringify(body) });
  const prompts = model.calls[0]?.request.messages.filter(({ role }) => role === "user");
  expect(prompts?.map(({ text }) => text)).toEqual(["GO"]);
});
