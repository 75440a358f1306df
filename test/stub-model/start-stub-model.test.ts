import { afterEach, describe, expect, test } from "vitest";
import type { Fault, Rule } from "./scenario.ts";
import { startStubModel } from "./start-stub-model.ts";
import type { StubModel } from "./start-stub-model.ts";

let model: StubModel | null = null;
afterEach(async () => {
  await model?.close();
  model = null;
});

const tools = [{ name: "Write" }, { name: "Bash" }, { name: "StructuredOutput" }];

async function start(...rules: Rule[]): Promise<StubModel> {
  model = await startStubModel({ rules });
  return model;
}

function ask(url: string, more: object = {}, signal?: AbortSignal): Promise<Response> {
  const body = { model: "m", stream: true, tools, messages: [{ role: "user", content: "GO" }], ...more };
  const init = { method: "POST", body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) };
  return fetch(`${url}/v1/messages?beta=true`, init);
}

type StreamEvent = { type: string; delta?: { text?: string; partial_json?: string; stop_reason?: string } };

function eventsOf(text: string): StreamEvent[] {
  const blocks = text.split("\n\n").filter((block) => block !== "");
  return blocks.map((block) => {
    const [event = "", data = ""] = block.split("\n");
    const parsed = JSON.parse(data.replace("data: ", "")) as StreamEvent;
    expect(event).toBe(`event: ${parsed.type}`);
    return parsed;
  });
}

describe("streamed answer", () => {
  test("contains text and calls in pieces and ends like the API", async () => {
    const content = 'quote " and\nnewline '.repeat(5);
    const { url } = await start({
      name: "r",
      turns: [{ text: "Some text, longer than one piece.", calls: [{ write: { path: "/a", content } }] }],
    });
    const events = eventsOf(await (await ask(url)).text());
    expect(events[0]?.type).toBe("message_start");
    expect(events.slice(-2).map((event) => event.type)).toEqual(["message_delta", "message_stop"]);
    expect(events.at(-2)?.delta?.stop_reason).toBe("tool_use");
    expect(events.map((event) => event.delta?.text ?? "").join("")).toBe("Some text, longer than one piece.");
    const input = events.map((event) => event.delta?.partial_json ?? "").join("");
    expect(JSON.parse(input)).toEqual({ file_path: "/a", content });
    expect(events.filter((event) => event.delta?.partial_json !== undefined).length).toBeGreaterThan(2);
  });

  test("contains the scripted usage", async () => {
    const { url } = await start({
      name: "r",
      turns: [{ text: "x", usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 } }],
    });
    const text = await (await ask(url)).text();
    expect(text).toContain('"input_tokens":1,"cache_creation_input_tokens":4,"cache_read_input_tokens":3');
    expect(text).toContain('"usage":{"output_tokens":2}');
  });
});

describe("plain answer", () => {
  const plain = async (rule: Rule, more: object = {}): Promise<unknown> => {
    const { url } = await start(rule);
    return (await ask(url, { stream: false, ...more })).json();
  };

  test("contains a structured result as a call of its tool", async () => {
    const answer = await plain({ name: "r", turns: [{ json: { status: "done" } }] });
    const call = { type: "tool_use", name: "StructuredOutput", input: { status: "done" } };
    expect(answer).toMatchObject({ type: "message", stop_reason: "tool_use", content: [call] });
  });

  test("contains a structured result as text without that tool", async () => {
    const answer = await plain({ name: "r", turns: [{ json: { status: "done" } }] }, { tools: [{ name: "Bash" }] });
    expect(answer).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: '{"status":"done"}' }] });
  });
});

test("records calls with their turns over a whole conversation", async () => {
  const { url, calls, refused } = await start({ name: "r", turns: [{ calls: [{ shell: "ls" }] }, { text: "end" }] });
  const first = (await (await ask(url, { stream: false })).json()) as { content: { id: string }[] };
  const history = [
    { role: "user", content: "GO" },
    { role: "assistant", content: first.content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: first.content[0]?.id, content: "a.txt" }] },
  ];
  await (await ask(url, { messages: history, system: [{ type: "text", text: "SYSTEM" }] })).text();
  expect(calls.map((call) => call.matched)).toEqual([
    { rule: "r", turn: 0 },
    { rule: "r", turn: 1 },
  ]);
  expect(calls[1]?.request).toMatchObject({ system: "SYSTEM", stream: true });
  expect(calls[1]?.request.messages.at(-1)).toMatchObject({ role: "tool", text: "a.txt" });
  expect(refused).toEqual([]);
});

describe("other endpoints", () => {
  test("answer probes and token counts", async () => {
    const { url } = await start();
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
    const count = await fetch(`${url}/v1/messages/count_tokens`, { method: "POST", body: '{"messages":[]}' });
    expect(await count.json()).toEqual({ input_tokens: 4 });
  });

  test("answer side calls without recording them", async () => {
    const { url, calls } = await start();
    expect((await ask(url, { tools: [] })).status).toBe(200);
    expect(calls).toEqual([]);
  });

  test("refuse and record unscripted requests", async () => {
    const { url, refused } = await start();
    expect((await ask(url)).status).toBe(400);
    expect((await fetch(`${url}/v1/files`)).status).toBe(404);
    expect((await ask(url, { messages: "odd" })).status).toBe(400);
    expect(refused).toHaveLength(3);
  });
});

describe("faults", () => {
  const faulty = (fault: Fault) => start({ name: "r", turns: [{ text: "Hello", fault }] });

  test("return a status in the format of the API, the given number of times", async () => {
    const { url } = await faulty({ status: 429, message: "slow down", times: 1 });
    const refusal = await ask(url);
    expect(refusal.status).toBe(429);
    expect(await refusal.json()).toEqual({ type: "error", error: { type: "rate_limit_error", message: "slow down" } });
    expect((await ask(url)).status).toBe(200);
  });

  test("end a stream normally without the closing event", async () => {
    const { url } = await faulty({ endAfterEvents: 3 });
    expect(eventsOf(await (await ask(url)).text()).map((event) => event.type)).toEqual([
      "message_start",
      "ping",
      "content_block_start",
    ]);
  });

  test.each([
    ["a cut stream", { cutAfterEvents: 2 }, true],
    ["the plain repetition of a cut stream", { cutAfterEvents: 2 }, false],
    ["the plain repetition of an endless stream", { endAfterEvents: 2 }, false],
    ["a reset", { reset: true as const }, true],
  ])("break the connection: %s", async (_, fault, stream) => {
    const { url } = await faulty(fault);
    await expect(ask(url, { stream }).then((response) => response.text())).rejects.toThrow(/terminated|fetch failed/);
  });

  test("hang without an answer, and the server can still be closed", async () => {
    const { url, calls } = await faulty({ hang: true });
    const stop = new AbortController();
    const asked = ask(url, {}, stop.signal);
    await expect.poll(() => calls.length).toBe(1);
    stop.abort();
    await expect(asked).rejects.toThrow(/abort/);
  });
});
