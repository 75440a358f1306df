import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentTask } from "../agent-claude/agent-task.ts";
import { DONE, fakeBackend, runFake, type PlayStep } from "./run-fake-acp.ts";

const respond = (more: object): PlayStep => ({ respond: { result: { stopReason: "end_turn", ...more } } });
const cost = (amount: number, currency = "USD") => ({
  sessionUpdate: "usage_update",
  used: 1,
  size: 2,
  cost: { amount, currency },
});
const tokens = { inputTokens: 10, outputTokens: 20, totalTokens: 30 };
const quota = (input: number, output: number) => ({
  _meta: { quota: { token_count: { input_tokens: input, output_tokens: output } } },
});

describe("usage", () => {
  test.each<[string, PlayStep[], unknown]>([
    ["unknown if missing", [respond({})], null],
    ["unknown if null", [respond({ usage: null, _meta: null })], null],
    ["unknown if zero", [respond({ usage: { inputTokens: 0, outputTokens: 0 } })], null],
    ["read from the response", [respond({ usage: tokens })], { input: 10, output: 20, usd: null }],
    [
      "counted with cached tokens",
      [respond({ usage: { ...tokens, cachedReadTokens: 3, cachedWriteTokens: 4 } })],
      { input: 17, output: 20, usd: null },
    ],
    ["read from the metadata of the response", [respond(quota(7, 8))], { input: 7, output: 8, usd: null }],
    ["unknown if malformed", [respond({ usage: { inputTokens: "ten" }, _meta: { quota: 7 } })], null],
    ["unknown if negative", [respond({ usage: { ...tokens, inputTokens: -1 } })], null],
    [
      "read with the last cost",
      [{ update: cost(0.1) }, { update: cost(0.25) }, respond({ usage: tokens })],
      { input: 10, output: 20, usd: 0.25 },
    ],
    ["limited to a known cost", [{ update: cost(0.5) }, respond({})], { input: null, output: null, usd: 0.5 }],
    ["unknown if the cost is zero", [{ update: cost(0) }, respond({})], null],
    ["unknown in another currency", [{ update: cost(5, "credits") }, respond({})], null],
  ])("is %s", async (_, deeds, usage) => {
    expect((await runFake({ plays: [[{ say: DONE }, ...deeds]] })).end.usage).toEqual(usage);
  });

  test("adds up two prompts and is unknown if one is unknown", async () => {
    const twice = (second: object) =>
      runFake({
        plays: [
          [{ say: "Hm." }, respond({ usage: tokens })],
          [{ say: DONE }, respond(second)],
        ],
      });
    expect((await twice({ usage: tokens })).end.usage).toEqual({ input: 20, output: 40, usd: null });
    expect((await twice({})).end.usage).toBeNull();
  });

  test("is reported for a failure too", async () => {
    const failing = respond({ stopReason: "refusal", usage: tokens });
    expect((await runFake({ plays: [[failing]] })).end).toMatchObject({ how: "failed", usage: { input: 10 } });
  });

  test("ignores tokens of agents that count only their last step, but not the cost", async () => {
    const plays = [[{ say: DONE }, { update: cost(0.5) }, respond({ usage: tokens })]];
    const { end } = await runFake(
      { plays },
      {},
      {
        traits: { readOnlyHolds: false, countsAllTokens: false, tellsCost: true, commandInTitle: false },
      },
    );
    expect(end.usage).toEqual({ input: null, output: null, usd: 0.5 });
  });

  test.each([
    ["the difference to the previous cost", [cost(1)], { input: null, output: null, usd: 0.5 }],
    ["unknown without a previous cost", [], null],
  ])("is in a resumed conversation %s", async (_, replays, usage) => {
    const behaviour = { loads: true, session: "s-0", replays, plays: [[{ say: DONE }, { update: cost(1.5) }]] };
    expect((await runFake(behaviour, { session: "s-0" })).end.usage).toEqual(usage);
  });
});

test("reports usage during work whenever it changes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-fake-acp-"));
  const deeds = [{ say: "One\n" }, { update: cost(0.1) }, { say: "Two\n" }, { say: "Three\n" }, { say: DONE }];
  const told: unknown[] = [];
  const backend = fakeBackend({ plays: [deeds] }, join(folder, "notes"));
  for await (const event of backend.run(agentTask(folder), new AbortController().signal)) {
    if (event.type === "progress" && event.text !== "") told.push([event.text, event.usage]);
  }
  expect(told).toEqual([
    ["One", null],
    ["Two", { input: null, output: null, usd: 0.1 }],
    ["Three", null],
  ]);
  rmSync(folder, { recursive: true });
});
