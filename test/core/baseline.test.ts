import { describe, expect, test } from "vitest";
import { againstBaseline, isFailure } from "../../src/core/baseline.ts";
import { listWaitOptions } from "../../src/core/next.ts";
import type { Baseline } from "../../src/core/run.ts";
import type { CheckResult, TestCommand } from "../../src/schema/facts.ts";
import type { PhaseRule, RunOptions } from "../../src/schema/plan.ts";
import {
  accepted,
  activeRun,
  ada,
  advance,
  checked,
  openWait,
  phaseRule,
  type Player,
  report,
  runOptions,
  startRun,
} from "../support/run-builder.ts";

const command: TestCommand = { argv: ["npm", "test"], source: "package.json", digest: "trusted" };
const writing: PhaseRule = phaseRule({ key: "06-implementation", writes: "tree", tests: true, verdicts: 0 });

const tests = (...names: string[]): CheckResult => ({
  name: "tests",
  ok: names.length === 0,
  detail: ["npm test ended with exit code 1", ...names.map((name) => `✗ ${name}: why`)].join("\n"),
  ...(names.length === 0 ? {} : { failing: names.map((name) => ({ name, message: "why" })) }),
});

const begin = (options: Partial<RunOptions> = {}, plan = [writing]): Player =>
  startRun({ tests: command, plan, options: runOptions(options) });

const settle = (player: Player, how: "accept" | "retry" | "skip"): string[] =>
  accepted(player, { do: how, by: ada, wait: openWait(player).id });

describe("baseline tests", () => {
  test.each([
    {
      when: "a phase changes code and is tested",
      plan: [phaseRule(), writing],
      events: ["run.prepared", "baseline.started"],
    },
    { when: "no phase is tested", plan: [phaseRule({ writes: "tree" })], events: ["run.prepared"] },
    { when: "no phase changes code", plan: [phaseRule({ tests: true })], events: ["run.prepared"] },
  ])("run once if required: $when", ({ plan, events }) => {
    expect(report(begin({}, plan), { of: "prepare" })).toEqual(events);
    expect(report(startRun({ tests: null, plan }), { of: "prepare" })).toEqual(["run.prepared"]);
  });

  test("continue the run without asking if they pass", () => {
    const player = advance(begin(), "baseline");
    expect(report(player, { of: "baseline", result: tests() })).toEqual(["baseline.measured", "baseline.settled"]);
    expect(activeRun(player)).toMatchObject({ stage: { is: "entering" }, baseline: { isAccepted: false } });
  });

  test("ask immediately if they fail, and each answer continues the run", () => {
    const asked = (): Player => {
      const player = advance(begin(), "baseline");
      expect(report(player, { of: "baseline", result: tests("a") })).toEqual(["baseline.measured", "step.escalated"]);
      return player;
    };
    const player = asked();
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: "baseline", reason: "tests_red" });
    expect(listWaitOptions(activeRun(player), openWait(player))).toEqual(["retry", "accept", "skip", "cancel"]);
    expect(settle(player, "accept")).toEqual(["baseline.settled"]);
    expect(activeRun(player)).toMatchObject({
      stage: { is: "entering" },
      tests: command,
      baseline: { isAccepted: true },
    });

    const fixed = asked();
    settle(fixed, "retry");
    report(fixed, { of: "baseline", result: tests() });
    expect(activeRun(fixed)).toMatchObject({ stage: { is: "entering" }, baseline: { isAccepted: false } });

    const without = asked();
    settle(without, "skip");
    expect(activeRun(without)).toMatchObject({ stage: { is: "entering" }, tests: null, baseline: null });
  });

  test("do not ask if the user agreed to failing tests in advance", () => {
    const player = advance(begin({ redTests: "continue" }), "baseline");
    report(player, { of: "baseline", result: tests("a") });
    expect(activeRun(player)).toMatchObject({ stage: { is: "entering" }, wait: null, baseline: { isAccepted: true } });
  });

  test("report failing tests, not a missing package, if some tests ran", () => {
    const player = advance(begin(), "baseline");
    report(player, {
      of: "baseline",
      result: { ...tests("a"), missing: "the package x is declared and not installed: run npm install" },
    });
    expect(openWait(player), "some tests ran").toMatchObject({ reason: "tests_red" });
  });
});

describe("later test failures compared with the baseline", () => {
  const baseline = (names: readonly string[], isAccepted = true): Baseline => ({ result: tests(...names), isAccepted });
  const rows = [
    { what: "counts a new failure", before: ["a"], now: ["a", "b"], against: [["b"], ["a"], []], fails: true },
    { what: "ignores known failures", before: ["a", "b"], now: ["b"], against: [[], ["b"], ["a"]], fails: false },
    {
      what: "lists known failures as fixed if all tests pass",
      before: ["a"],
      now: [],
      against: [[], [], ["a"]],
      fails: false,
    },
    {
      what: "counts each failure as new if the baseline passed",
      before: [],
      now: ["a"],
      against: [["a"], [], []],
      fails: true,
    },
  ];

  test.each(rows)("$what", ({ before, now, against, fails }) => {
    const result = againstBaseline(baseline(before), tests(...now));
    const [added, still, fixed] = against;
    expect(result.against).toEqual({ added, still, fixed });
    expect(isFailure(result)).toBe(fails);
    expect(result.ok).toBe(now.length === 0);
  });

  test("lists new, known and fixed failures for the agent", () => {
    const { detail } = againstBaseline(baseline(["a", "c"]), tests("a", "b"));
    expect(detail).toBe(
      "npm test ended with exit code 1\nNewly failing:\n✗ b: why\nFailing since before the run:\n✗ a: why\nFixed since the run started: c",
    );
  });

  test("fails on known failures that were not accepted", () => {
    expect(isFailure(againstBaseline(baseline(["a"], false), tests("a")))).toBe(true);
  });

  test("accepts only the identical failure if the runner names no tests", () => {
    const unnamed = (detail: string): CheckResult => ({ name: "tests", ok: false, detail });
    const before: Baseline = { result: unnamed("exit code 2 after 10ms"), isAccepted: true };
    expect(isFailure(againstBaseline(before, unnamed("exit code 2 after 12ms")))).toBe(false);
    expect(isFailure(againstBaseline(before, unnamed("exit code 3")))).toBe(true);
    expect(isFailure(againstBaseline(baseline(["a"]), unnamed("it crashed")))).toBe(true);
  });

  test("passes a phase with only known failures, and returns one with a new failure", () => {
    const player = advance(begin({ redTests: "continue" }), "baseline");
    report(player, { of: "baseline", result: tests("a") });
    advance(player, "check");
    expect(report(player, checked(tests("a", "b")))).toEqual(["checks.failed"]);
    advance(player, "check");
    expect(report(player, checked(tests("a")))).toEqual(["checks.passed"]);
  });
});

describe("tests that fail to start", () => {
  const notStarted: CheckResult = { name: "tests", ok: null, notStarted: true, detail: "npm test: not found" };

  test.each([
    ["baseline_not_started", notStarted],
    ["not_installed", { ...notStarted, missing: "run npm install" }],
  ])("ask the user before the work, even if failing tests were accepted: %s", (reason, result) => {
    const player = advance(begin({ redTests: "continue" }), "baseline");
    report(player, { of: "baseline", result });
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: "baseline", reason });
  });

  test.each([
    ["in the baseline and now", notStarted, notStarted],
    ["before", notStarted, tests("a")],
    ["after", tests("a"), notStarted],
    [
      "in a baseline by an earlier version and now",
      { name: "tests", ok: false, detail: notStarted.detail },
      notStarted,
    ],
  ])("never count as known failures: %s", (_when, before, result) => {
    const known: Baseline = { result: before, isAccepted: true };
    expect(againstBaseline(known, result)).toEqual(result);
    expect(againstBaseline(known, { ...result, ok: false })).toEqual({ ...result, ok: false });
  });

  test("ask the user after the work: retry repeats the check, accept continues without tests", () => {
    const player = advance(begin(), "check");
    const check = { of: "check", results: [notStarted], digest: "d", testsChanged: null } as const;
    expect(report(player, check)).toEqual(["step.escalated"]);
    expect(openWait(player)).toMatchObject({ reason: "tests_not_started", checks: ["tests"] });
    settle(player, "retry");
    expect(activeRun(player).stage.is).toBe("checking");
    report(player, check);
    settle(player, "accept");
    expect(activeRun(player)).toMatchObject({ tests: null, stage: { is: "checking" } });
  });
});
