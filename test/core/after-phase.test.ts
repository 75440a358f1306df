import { describe, expect, test } from "vitest";
import type { PersonCommand } from "../../src/core/command.ts";
import { decide } from "../../src/core/decide/decide.ts";
import { next } from "../../src/core/next.ts";
import type { Intensity } from "../../src/schema/facts.ts";
import type { RunOptions } from "../../src/schema/plan.ts";
import {
  accepted,
  activeRun,
  ada,
  advance,
  failed,
  measured,
  openWait,
  phaseRule,
  type Player,
  refined,
  report,
  robot,
  runOptions,
  startRun,
} from "../support/run-builder.ts";
import { claim } from "../support/run-scripts.ts";

const KEYS = ["02-impact-analysis", "03-architecture", "04-design", "05-test-strategy", "06-implementation"];
const plan = KEYS.map((key) =>
  phaseRule({
    key,
    whenLight: key === "03-architecture" || key === "04-design" ? "drop" : "keep",
    after: key === "02-impact-analysis" ? ["sizing"] : key === "04-design" ? ["refinement"] : [],
  }),
);
const feature = (options: Partial<RunOptions> = {}): Player => startRun({ plan, options: runOptions(options) });
const keptKeys = (player: Player): string[] =>
  activeRun(player)
    .phases.filter((phase) => !phase.dropped)
    .map(({ rule }) => rule.key);
const current = (player: Player): string | undefined => activeRun(player).phases[activeRun(player).index]?.rule.key;
const LIGHT = ["02-impact-analysis", "05-test-strategy", "06-implementation"];

const sized = (
  player: Player,
  choice: "accept" | "light" | "standard",
  recommended: Intensity = "standard",
): Player => {
  report(advance(player, "measure"), measured(recommended));
  accepted(player, { do: "size", by: ada, wait: openWait(player).id, choice });
  return player;
};

describe("sizing decision [SIZE-CHOICE]", () => {
  test.for<[Intensity, "accept" | "light" | "standard", "light" | "standard"]>([
    ["light", "accept", "light"],
    ["standard", "accept", "standard"],
    ["epic", "accept", "standard"],
    ["standard", "light", "light"],
    ["epic", "light", "light"],
    ["light", "standard", "standard"],
  ])("combines recommendation %s and answer %s to %s", ([recommended, choice, effective]) => {
    const player = sized(feature(), choice, recommended);
    expect(activeRun(player).sizing).toMatchObject({
      effective,
      by: ada,
      phase: "02-impact-analysis",
      sizing: { recommended },
    });
    expect(keptKeys(player)).toEqual(effective === "light" ? LIGHT : KEYS);
  });

  test("asks after the impact analysis, before any other step", () => {
    const player = advance(feature(), "sizing");
    expect(next(player.state)).toMatchObject({ is: "wait", options: ["accept", "light", "standard"] });
    expect(openWait(player)).toMatchObject({ kind: "sizing", sizing: { source: "impact-analysis" } });
    expect(activeRun(player)).toMatchObject({ index: 0, sizing: null });
  });

  test("refuses an answer by an agent or for an outdated wait", () => {
    const player = advance(feature(), "sizing");
    const size = (change: Partial<Extract<PersonCommand, { do: "size" }>>) =>
      decide(player.state, { do: "size", by: ada, wait: openWait(player).id, choice: "light", ...change });
    expect(size({ by: robot })).toEqual({ ok: false, refusal: { why: "notAPerson" } });
    expect(size({ wait: "other" })).toEqual({ ok: false, refusal: { why: "notOpen", open: openWait(player).id } });
    expect(size({}).ok).toBe(true);
  });

  test.for<[Partial<RunOptions>, Intensity, string, string]>([
    [{ sizing: "accept" }, "light", "light", "options"],
    [{ sizing: "accept" }, "epic", "standard", "options"],
    [{ light: true }, "epic", "light", "flag"],
    [{ light: true, sizing: "accept" }, "standard", "light", "flag"],
  ])("decides without asking with %j: %s becomes %s, by %s", ([options, recommended, effective, by]) => {
    const player = advance(feature(options), "measure");
    expect(report(player, measured(recommended))).toEqual(["sizing.decided", "phase.left"]);
    expect(activeRun(player).sizing).toMatchObject({ effective, by });
  });

  test("escalates a failed measurement and uses standard size if it is skipped", () => {
    const player = advance(feature({ sizing: "accept" }), "measure");
    report(player, failed("measure"));
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: "measure", offered: ["retry", "skip"] });
    accepted(player, { do: "skip", by: ada, wait: openWait(player).id });
    expect(activeRun(player).sizing).toMatchObject({ effective: "standard", by: ada, sizing: { metrics: null } });
    expect(keptKeys(player)).toEqual(KEYS);
  });

  test("asks once, even if the phase was skipped", () => {
    const player = feature();
    accepted(advance(player, "produce"), { do: "skip", wait: null, by: ada });
    advance(sized(player, "standard"), "done");
    expect(player.events.filter(({ type }) => type === "sizing.asked")).toHaveLength(1);
  });
});

describe("effect of a size [SIZE-APPLY, SIZE-LIGHT]", () => {
  test("continues with the test strategy in a light run, without design and tasks", () => {
    const player = sized(feature(), "light");
    expect(current(player)).toBe("05-test-strategy");
    advance(player, "done");
    const begun = player.events.flatMap((event) => (event.type === "attempt.started" ? [event.phase] : []));
    expect(begun).toEqual(LIGHT);
    expect(player.events.some(({ type }) => type === "tasks.refined")).toBe(false);
  });

  test("runs the impact analysis with -light", () => {
    const player = advance(feature({ light: true }), "measure");
    expect(player.events.filter(({ type }) => type === "phase.completed")).toHaveLength(1);
    advance(player, "done");
    expect(player.events.flatMap((event) => (event.type === "sizing.decided" ? [event.drop] : []))).toEqual([
      ["03-architecture", "04-design"],
    ]);
  });

  const keys = (...rules: ["keep" | "drop", ...("keep" | "drop")[]]) =>
    rules.map((whenLight, index) =>
      phaseRule({ key: `0${index}-x`, whenLight, after: index === 0 ? (["sizing"] as const).slice() : [] }),
    );
  test.for<[string, ReturnType<typeof keys>, string, number]>([
    ["three phases would remain", keys("keep", "drop", "keep", "keep"), "light", 1],
    ["two phases would remain", keys("keep", "drop", "keep"), "standard", 0],
    ["no phase would follow", keys("keep", "drop", "drop", "drop"), "standard", 0],
    ["no phase can be dropped", keys("keep", "keep"), "light", 0],
    ["only the sized phase can be dropped", keys("drop", "keep", "keep"), "light", 0],
  ])("keeps the light size only with valid invariants: %s", ([, small, effective, dropped]) => {
    const player = startRun({ plan: small, options: runOptions({ light: true }) });
    report(advance(player, "measure"), measured("standard"));
    expect(activeRun(player).sizing?.effective).toBe(effective);
    expect(activeRun(player).phases.filter((phase) => phase.dropped)).toHaveLength(dropped);
    expect(advance(player, "done").state).toMatchObject({ is: "ended", how: "finished" });
  });
});

describe("refinement", () => {
  const refining = (): Player => advance(feature({ sizing: "accept" }), "refine");

  test("runs once after the accepted design, before the next phase starts", () => {
    const player = refining();
    expect(current(player)).toBe("04-design");
    expect(report(player, refined())).toEqual(["execution.ended", "tasks.refined", "phase.left"]);
    expect(activeRun(player)).toMatchObject({ refined: true, index: 3 });
    advance(player, "done");
    expect(player.events.filter(({ type }) => type === "after.started")).toHaveLength(2);
  });

  test("returns an invalid list to the agent twice, then escalates", () => {
    const player = refining();
    for (let lists = 1; lists <= 2; lists += 1) {
      expect(report(player, refined("T1 names no file", "T2 waits"))).toEqual(["execution.ended", "tasks.rejected"]);
      expect(activeRun(player).stage).toMatchObject({
        is: "refining",
        claim: null,
        brief: { why: "tasks", text: "T1 names no file\nT2 waits" },
        work: { failures: lists },
      });
    }
    report(player, refined("still"));
    expect(openWait(player)).toMatchObject({
      kind: "escalation",
      from: "refine",
      reason: "invalid_tasks",
      detail: "still",
    });
  });

  test("allows three more lists after a retry, and continues without tasks after a skip", () => {
    const player = refining();
    const reject = (times: number): void => {
      for (let lists = 0; lists < times; lists += 1) report(player, refined("no"));
    };
    reject(3);
    accepted(player, { do: "retry", by: ada, wait: openWait(player).id });
    reject(2);
    expect(activeRun(player).wait).toBeNull();
    reject(1);
    expect(accepted(player, { do: "skip", by: ada, wait: openWait(player).id })).toEqual([
      "step.skipped",
      "tasks.refined",
      "phase.left",
    ]);
    expect(player.events.at(-2)).toMatchObject({ type: "tasks.refined", artifact: null, tasks: 0 });
  });

  test("claims, loses and breaks executions like a phase, and counts them there", () => {
    const player = refining();
    expect(report(player, claim("x9"))).toEqual(["execution.started"]);
    expect(report(player, { of: "lost", execution: "x9" })).toEqual(["execution.ended"]);
    report(player, claim("x10"));
    expect(report(player, failed("refine"))).toEqual(["execution.ended", "step.escalated"]);
    expect(activeRun(player).phases[2]?.executions).toBe(2);
  });

  test("does not run after a skipped design", () => {
    const player = advance(feature({ sizing: "accept" }), "measure");
    report(player, measured("standard"));
    while (current(player) !== "04-design") report(advance(player, "commit"), { of: "commit", commit: null });
    accepted(player, { do: "skip", wait: null, by: ada });
    expect(report(player, { of: "commit", commit: null })).toEqual(["phase.committed", "phase.left"]);
    expect(activeRun(player).refined).toBe(false);
  });
});
