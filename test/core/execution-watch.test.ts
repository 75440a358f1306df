import { describe, expect, test } from "vitest";
import {
  larger,
  MAX_FAILED_CALLS,
  MAX_IDLE_CALLS,
  nothingSeen,
  reasonToStop,
  retryText,
  type ProgressUpdate,
  watch,
  type ExecutionProgress,
} from "../../src/core/execution-watch.ts";

const nothing = { input: null, output: null, usd: null };
const free = { spent: nothing, budget: null, price: null };
const used = (input: number, output = 0) => ({ input, output, usd: null });
const call: ProgressUpdate = { usage: null, sign: { is: "call" } };
const work: ProgressUpdate = { usage: null, sign: { is: "work" } };
const fails = (what: string): ProgressUpdate => ({ usage: null, sign: { is: "trouble", what } });
const seen = (...events: readonly ProgressUpdate[]): ExecutionProgress => events.reduce(watch, nothingSeen);
const times = (count: number, event: ProgressUpdate): ProgressUpdate[] => Array.from({ length: count }, () => event);

describe("execution that makes no progress [R9]", () => {
  test("stops after too many model calls in a row without a tool result", () => {
    expect(reasonToStop(seen(...times(MAX_IDLE_CALLS - 1, call)), free)).toBeNull();
    expect(reasonToStop(seen(...times(MAX_IDLE_CALLS, call)), free)).toMatchObject({
      why: "no_progress",
      detail: expect.stringContaining(`${MAX_IDLE_CALLS} times in a row`) as string,
    });
    const between = [...times(MAX_IDLE_CALLS - 1, call), work, ...times(MAX_IDLE_CALLS - 1, call)];
    expect(reasonToStop(seen(...between), free)).toBeNull();
  });

  test("stops if only requests are reported, which do not reset the error count", () => {
    const asked: ProgressUpdate = { usage: null, sign: { is: "asked" } };
    expect(reasonToStop(seen(...times(MAX_IDLE_CALLS, asked)), free)).toMatchObject({ why: "no_progress" });
    expect(reasonToStop(seen(...times(MAX_IDLE_CALLS - 1, asked), work, asked), free)).toBeNull();
    expect(retryText(seen(fails("service error 500"), asked, fails("service error 500")))).toMatch(/^retrying \(2\)/);
  });

  test("stops after too many service errors in a row without an answer", () => {
    const error = fails("service error 500");
    expect(reasonToStop(seen(...times(MAX_FAILED_CALLS - 1, error)), free)).toBeNull();
    expect(reasonToStop(seen(...times(MAX_FAILED_CALLS, error)), free)).toEqual({
      why: "unavailable",
      detail: `The model service failed ${MAX_FAILED_CALLS} times in a row: service error 500.`,
    });
    const recovered = [...times(MAX_FAILED_CALLS - 1, error), call, error];
    expect(reasonToStop(seen(...recovered), free)).toBeNull();
  });

  test("reports a retry with its count", () => {
    expect(retryText(seen(...times(12, fails("service error 500"))))).toBe("retrying (12), service error 500");
    expect(retryText(seen(fails("service error 500"), call))).toBeNull();
  });
});

describe("budget during an execution [R9]", () => {
  const budget = { spent: used(500), budget: { usd: null, tokens: 2000 }, price: null };
  const answered = (input: number): ProgressUpdate => ({ usage: used(input), sign: { is: "call" } });
  const counts = (input: number): ProgressUpdate => ({ usage: used(input) });

  test.each<[string, readonly ProgressUpdate[], boolean]>([
    ["continues under the budget", [answered(700), work, answered(800), work], false],
    ["continues after an answer that reaches the budget", [answered(1400), counts(1500)], false],
    ["stops at a tool result after the budget is reached", [answered(1500), work], true],
    ["stops at a call after the budget is reached", [answered(1500), answered(1600)], true],
    ["stops at a failed call after the budget is reached", [answered(1500), fails("service error 500")], true],
    ["ignores figures that shrink", [answered(1500), counts(10), work], true],
    ["continues if no usage is reported", [call, work], false],
  ])("%s", (_, events, stops) => {
    expect(reasonToStop(seen(...events), budget)).toEqual(stops ? { why: "budget", ahead: null } : null);
  });

  test.each<[string, readonly ProgressUpdate[], number | null]>([
    ["continues if the next call may use the rest of the budget", [answered(750), work], null],
    ["stops if a call like the last one would exceed it", [answered(751), work], 751],
    ["uses the largest call as the estimate", [answered(600), work, answered(1000), work], 600],
    ["counts several results of one call once", [answered(700), work, work, work], null],
    ["continues after an answer without a tool result", [answered(600), work, answered(1000)], null],
  ])("estimates the next call: %s", (_, events, ahead) => {
    const stop = ahead === null ? null : { why: "budget", ahead: used(ahead) };
    expect(reasonToStop(seen(...events), budget)).toEqual(stop);
  });

  test("counts reported cost", () => {
    const paid = (usd: number): ProgressUpdate => ({ usage: { ...nothing, usd }, sign: { is: "work" } });
    const limit = { spent: nothing, budget: { usd: 1, tokens: null }, price: null };
    const ahead = { ...nothing, usd: 0.51 };
    expect([0.5, 0.51, 1].map((usd) => reasonToStop(seen(paid(usd)), limit))).toEqual([
      null,
      { why: "budget", ahead },
      { why: "budget", ahead: null },
    ]);
  });

  test("estimates the cost from tokens if the agent reports it only at the end", () => {
    const limit = { spent: { ...nothing, usd: 0.9 }, budget: { usd: 1, tokens: null } };
    const events = seen(answered(60), work);
    expect(reasonToStop(events, { ...limit, price: null })).toBeNull();
    expect(reasonToStop(events, { ...limit, price: 0.0005 })).toBeNull();
    expect(reasonToStop(events, { ...limit, price: 0.001 })).toMatchObject({ why: "budget", ahead: { usd: 0.06 } });
    expect(reasonToStop(events, { ...limit, price: 0.002 })).toEqual({ why: "budget", ahead: null });
  });
});

test("takes the larger figures of two reports and keeps unknown values unknown", () => {
  expect(larger(null, null)).toBeNull();
  expect(larger(used(5, 1), null)).toEqual(used(5, 1));
  expect(larger({ input: 5, output: null, usd: 0.2 }, { input: 3, output: null, usd: null })).toEqual({
    input: 5,
    output: null,
    usd: 0.2,
  });
});
