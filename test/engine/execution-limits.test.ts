import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { PhaseRule } from "../../src/schema/plan.ts";
import { activeRun, advance, phaseAt, phaseRule, report, runOptions, startRun } from "../support/run-builder.ts";
import { createPartialEngine } from "./step-ports.ts";
import { letPass, executionLimits, overtime, tooLong } from "../../src/engine/steps/run-agent.ts";

const MINUTE = 60_000; // Milliseconds.

function executionOf(rule: Partial<PhaseRule>, limits?: { minutes: number | null; turns: number | null }) {
  const options = runOptions(limits === undefined ? {} : { limits });
  const player = advance(startRun({ plan: [phaseRule(rule)], options }), "produce");
  return { run: activeRun(player), phase: phaseAt(player, 0) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("limits of an execution", () => {
  test("allow silence for twice the minutes of the phase, in seconds", () => {
    const { run, phase } = executionOf({ minutes: 7 });
    expect(executionLimits(run, phase)).toEqual({ silence: 2 * 7 * 60, turns: null, usd: null });
  });

  test("include the turns set by the user", () => {
    const { run, phase } = executionOf({}, { minutes: null, turns: 12 });
    expect(executionLimits(run, phase).turns).toBe(12);
  });

  test.each<[string, { minutes: number | null; turns: null } | undefined, number]>([
    ["three times the minutes of its phase", undefined, 30],
    ["three times the minutes of its phase if only turns are limited", { minutes: null, turns: null }, 30],
    ["the minutes set by the user", { minutes: 4, turns: null }, 4],
  ])("end it after %s", (_, limits, minutes) => {
    const executed = executionOf({ minutes: 10 }, limits);
    const late = tooLong(executed, new AbortController().signal);
    vi.advanceTimersByTime(minutes * MINUTE - 1);
    expect(late.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(late.aborted).toBe(true);
    const end = {
      type: "end",
      how: "failed",
      reason: "x",
      detail: "",
      again: true,
      usage: null,
      session: "s",
    } as const;
    expect(overtime(executed, end as never)).toMatchObject({ reason: "timeout", again: false, session: "s" });
  });

  test("do not end it immediately if they exceed the longest timer", () => {
    const late = tooLong(executionOf({}, { minutes: 10 ** 9, turns: null }), new AbortController().signal);
    vi.advanceTimersByTime(MINUTE);
    expect(late.aborted).toBe(false);
  });

  test("leave no timer when it is done", () => {
    const done = new AbortController();
    tooLong(executionOf({}), done.signal);
    expect(vi.getTimerCount()).toBe(1);
    done.abort();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("busy model service", () => {
  const waitedAfter = async (reasons: readonly string[]): Promise<readonly number[]> => {
    const player = startRun({ plan: [phaseRule()] });
    const waited: number[] = [];
    const engine = createPartialEngine({ pause: (milliseconds) => Promise.resolve(void waited.push(milliseconds)) });
    for (const reason of reasons) {
      advance(player, "produce");
      const ended = { execution: "x", usage: null, session: null, reason, detail: "busy", again: true, retries: 0 };
      report(player, { of: "broken", ...ended });
      await letPass(engine, activeRun(player), new AbortController().signal);
    }
    return waited;
  };

  test("gets more time after each failed execution", async () => {
    expect(await waitedAfter(["unavailable", "unavailable"])).toEqual([2000, 8000]);
  });

  test("gets no extra time after another failure", async () => {
    expect(await waitedAfter(["no_result"])).toEqual([]);
  });
});
