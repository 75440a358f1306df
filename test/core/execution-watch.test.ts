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

describe("R9 an execution that only burns on is stopped", () => {
  test("once the model was asked so often and nothing came of it; a result of a tool counts as something", () => {
    expect(reasonToStop(seen(...times(MAX_IDLE_CALLS - 1, call)), free)).toBeNull();
    expect(reasonToStop(seen(...times(MAX_IDLE_CALLS, call)), free)).toMatchObject({
      why: "no_progress",
      detail: expect.stringContaining(`${MAX_IDLE_CALLS} times in a row`) as string,
    });
    const between = [...times(MAX_IDLE_CALLS - 1, call), work, ...times(MAX_IDLE_CALLS - 1, call)];
    expect(reasonToStop(seen(...between), free)).toBeNull();
  });

  test("also where only the questions are told; they say nothing about errors", () => {
    const asked: ProgressUpdate = { usage: null, sign: { is: "asked" } };
    expect(reasonToStop(seen(...times(MAX_IDLE_CALLS, asked)), free)).toMatchObject({ why: "no_progress" });
    expect(reasonToStop(seen(...times(MAX_IDLE_CALLS - 1, asked), work, asked), free)).toBeNull();
    expect(retryText(seen(fails("service error 500"), asked, fails("service error 500")))).toMatch(/^retrying \(2\)/);
  });

  test("once the service failed so often in a row, with the error; an answer in between counts", () => {
    const error = fails("service error 500");
    expect(reasonToStop(seen(...times(MAX_FAILED_CALLS - 1, error)), free)).toBeNull();
    expect(reasonToStop(seen(...times(MAX_FAILED_CALLS, error)), free)).toEqual({
      why: "unavailable",
      detail: `The model service failed ${MAX_FAILED_CALLS} times in a row: service error 500.`,
    });
    const recovered = [...times(MAX_FAILED_CALLS - 1, error), call, error];
    expect(reasonToStop(seen(...recovered), free)).toBeNull();
  });

  test("what is retried is told with its count", () => {
    expect(retryText(seen(...times(12, fails("service error 500"))))).toBe("retrying (12), service error 500");
    expect(retryText(seen(fails("service error 500"), call))).toBeNull();
  });
});

describe("R9 a budget counts while an execution runs", () => {
  const budget = { spent: used(500), budget: { usd: null, tokens: 2000 }, price: null };
  const answered = (input: number): ProgressUpdate => ({ usage: used(input), sign: { is: "call" } });
  const counts = (input: number): ProgressUpdate => ({ usage: used(input) });

  test.each<[string, readonly ProgressUpdate[], boolean]>([
    ["below it", [answered(700), work, answered(800), work], false],
    ["the answer that reaches it may be the last one", [answered(1400), counts(1500)], false],
    ["a tool gave its result, so the model is asked again", [answered(1500), work], true],
    ["a call that begins after it was reached", [answered(1500), answered(1600)], true],
    ["a failed call after it was reached", [answered(1500), fails("service error 500")], true],
    ["figures that shrink are not believed", [answered(1500), counts(10), work], true],
    ["nothing told is nothing counted", [call, work], false],
  ])("%s", (_, events, stops) => {
    expect(reasonToStop(seen(...events), budget)).toEqual(stops ? { why: "budget", ahead: null } : null);
  });

  test.each<[string, readonly ProgressUpdate[], number | null]>([
    ["the next call may use all that is left", [answered(750), work], null],
    ["it would use more, were it like the last one", [answered(751), work], 751],
    ["it is judged by the largest one", [answered(600), work, answered(1000), work], 600],
    ["several results of one call are no further calls", [answered(700), work, work, work], null],
    ["the model answered, and may be done", [answered(600), work, answered(1000)], null],
  ])("and is asked about before it is exceeded: %s", (_, events, ahead) => {
    const stop = ahead === null ? null : { why: "budget", ahead: used(ahead) };
    expect(reasonToStop(seen(...events), budget)).toEqual(stop);
  });

  test("money counts where it is told", () => {
    const paid = (usd: number): ProgressUpdate => ({ usage: { ...nothing, usd }, sign: { is: "work" } });
    const limit = { spent: nothing, budget: { usd: 1, tokens: null }, price: null };
    const ahead = { ...nothing, usd: 0.51 };
    expect([0.5, 0.51, 1].map((usd) => reasonToStop(seen(paid(usd)), limit))).toEqual([
      null,
      { why: "budget", ahead },
      { why: "budget", ahead: null },
    ]);
  });

  test("where an agent tells its cost only at the end, what tokens of this run cost so far counts", () => {
    const limit = { spent: { ...nothing, usd: 0.9 }, budget: { usd: 1, tokens: null } };
    const events = seen(answered(60), work);
    expect(reasonToStop(events, { ...limit, price: null })).toBeNull();
    expect(reasonToStop(events, { ...limit, price: 0.0005 })).toBeNull();
    expect(reasonToStop(events, { ...limit, price: 0.001 })).toMatchObject({ why: "budget", ahead: { usd: 0.06 } });
    expect(reasonToStop(events, { ...limit, price: 0.002 })).toEqual({ why: "budget", ahead: null });
  });
});

test("of two accounts the larger figures count, and unknown stays unknown", () => {
  expect(larger(null, null)).toBeNull();
  expect(larger(used(5, 1), null)).toEqual(used(5, 1));
  expect(larger({ input: 5, output: null, usd: 0.2 }, { input: 3, output: null, usd: null })).toEqual({
    input: 5,
    output: null,
    usd: 0.2,
  });
});
