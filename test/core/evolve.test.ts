import { describe, expect, test } from "vitest";
import { evolve, replay } from "../../src/core/evolve/evolve.ts";
import { noRun } from "../../src/core/run.ts";
import type { RunEvent, Step } from "../../src/schema/event.ts";
import {
  accepted,
  activeRun,
  ada,
  advance,
  checked,
  everyPhase,
  execution,
  failed,
  goodAnswer,
  openWait,
  phaseAt,
  phaseRule,
  type Player,
  produced,
  rechecked,
  redo,
  report,
  result,
  start,
  startRun,
  verdict,
} from "../support/run-builder.ts";
import { asks, claim, gateAnswer } from "../support/run-scripts.ts";

const supervised = { supervision: everyPhase };
const atGate = (): Player => advance(startRun(supervised), "gate");

describe("run", () => {
  test("starts with every phase pending and all counters at zero", () => {
    const { state } = startRun();
    expect(state).toMatchObject({
      is: "active",
      index: 0,
      stage: { is: "preparing" },
      wait: null,
      answers: [],
      seq: 1,
    });
    expect(phaseAt(startRun(), 2)).toMatchObject({
      status: "pending",
      attempts: 0,
      redos: 0,
      made: null,
      guidance: [],
    });
  });

  test("keeps the plan, supervision and test command of its start", () => {
    const { plan, supervision, tests, ...facts } = start().facts;
    const run = activeRun(startRun());
    expect(run.run).toEqual({ ...facts, startedAt: "2026-01-05T00:00:01.000Z" });
    expect([run.phases.map((phase) => phase.rule), run.supervision, run.tests]).toEqual([plan, supervision, tests]);
  });

  test("stores the reason and phase of a cancel", () => {
    const player = advance(startRun(), "check");
    accepted(player, { do: "cancel", by: ada, reason: "wrong item" });
    expect(player.state).toMatchObject({
      is: "ended",
      how: "cancelled",
      reason: "wrong item",
      cancelledAt: "01-requirements",
    });
  });

  test("stores how it finished", () => {
    const player = startRun({ options: { ...start().facts.options, finish: "merge" } });
    report(advance(player, "finish"), { of: "finish", merged: "abc123" });
    expect(player.state).toMatchObject({
      is: "ended",
      how: "finished",
      finish: "merge",
      merged: "abc123",
    });
  });

  test("ignores events after its end", () => {
    const { state } = advance(startRun(), "done");
    const left: RunEvent = { type: "phase.left", seq: 99, at: "2026-01-06T00:00:00.000Z" };
    expect(evolve(state, left)).toBe(state);
    expect(evolve(noRun, left)).toBe(noRun);
  });

  test("folds to the same state in one pass or event by event", () => {
    const player = advance(startRun(supervised), "done");
    expect(replay(player.events)).toEqual(player.state);
    const half = replay(player.events.slice(0, 20));
    expect(player.events.slice(20).reduce(evolve, half)).toEqual(player.state);
  });

  test("advances its index by one with phase.left only", () => {
    const player = advance(startRun(supervised), "finish");
    const moves = player.events.map((event, at) => {
      const before = replay(player.events.slice(0, at));
      const after = replay(player.events.slice(0, at + 1));
      const by = (after.is === "active" ? after.index : 0) - (before.is === "active" ? before.index : 0);
      return { type: event.type, by };
    });
    expect(moves.filter((move) => move.by !== 0)).toEqual(
      Array.from({ length: 3 }, () => ({ type: "phase.left", by: 1 })),
    );
    expect(moves.filter((move) => move.type === "phase.left")).toHaveLength(3);
  });
});

describe("attempt", () => {
  test("stores the commit and tree of the first entry", () => {
    const player = atGate();
    accepted(player, redo(player, "again"));
    report(player, { of: "enter", commit: "other", tree: "other" });
    expect(phaseAt(player, 0)).toMatchObject({ firstCommit: "c0ffee", firstTree: "tree-0", attempts: 2 });
  });

  test("adds up the usage of its executions and keeps unknown values unknown", () => {
    const player = advance(startRun({ plan: [phaseRule({ verdicts: 2 })] }), "produce");
    report(player, { ...produced, usage: { input: 10, output: 1, usd: null } } as typeof produced);
    advance(player, "review");
    report(player, { ...verdict(false, "leaks"), usage: { input: 5, output: null, usd: null } } as typeof produced);
    expect(phaseAt(player, 0).usage).toEqual({ input: 15, output: 1, usd: null });
  });

  test("keeps its agent's session over turns, separate from the reviewer's", () => {
    const player = advance(startRun({ plan: [phaseRule({ verdicts: 2 })] }), "produce");
    report(player, { ...produced, session: "s1" } as typeof produced);
    advance(player, "review");
    report(player, { ...verdict(false, "leaks"), session: "reviewer" } as typeof produced);
    expect(activeRun(player).stage).toMatchObject({ is: "producing", work: { session: "s1" } });
  });

  test.for<[string, (player: Player) => void, object]>([
    [
      "failed checks",
      (player) => report(advance(player, "check"), checked(result("tests", false))),
      { why: "checks", text: "tests: tests said so" },
    ],
    [
      "findings",
      (player) => report(advance(player, "review"), verdict(false, "leaks")),
      { why: "findings", text: "F1: leaks" },
    ],
    [
      "answers",
      (player) => {
        report(advance(player, "produce"), asks);
        accepted(player, goodAnswer(openWait(player)));
      },
      { why: "answers" },
    ],
    [
      "a retry",
      (player) => {
        report(advance(player, "produce"), failed("produce"));
        accepted(player, goodAnswer(openWait(player)));
      },
      { why: "retry", text: "The attempt before this one failed (impossible): produce cannot be done" },
    ],
  ])("states the reason in the brief: %s", ([, happen, brief]) => {
    const player = startRun({ plan: [phaseRule({ verdicts: 2 })] });
    happen(player);
    expect(activeRun(advance(player, "produce")).stage).toMatchObject({ is: "producing", brief });
  });

  test.for<[Step, number, string]>([
    ["enter", 1, "entering"],
    ["produce", 2, "entering"],
    ["check", 2, "entering"],
    ["review", 1, "reviewing"],
    ["complete", 1, "completing"],
    ["recheck", 1, "rechecking"],
    ["commit", 1, "accepting"],
  ])("continues a retry after %s as attempt %i at %s", ([step, attempt, is]) => {
    const player = advance(startRun(supervised), step);
    report(player, failed(step));
    accepted(player, goodAnswer(openWait(player)));
    expect(activeRun(player)).toMatchObject({ stage: { is }, wait: null });
    if (is === "entering") advance(player, "produce");
    expect(phaseAt(player, 0).attempts).toBe(attempt);
  });

  test("resets its counters when retried", () => {
    const player = startRun({ plan: [phaseRule({ verdicts: 3 })] });
    report(advance(player, "review"), verdict(false, "leaks"));
    report(advance(player, "check"), checked(result("tests", false)));
    report(player, { of: "broken", reason: "crashed", detail: "", again: false, ...execution });
    accepted(player, goodAnswer(openWait(player)));
    expect(activeRun(advance(player, "produce")).stage).toMatchObject({
      work: { turns: 0, verdicts: 0, failures: 0, sameFailure: null, broken: 0, replies: [], session: null },
    });
    expect(phaseAt(player, 0)).toMatchObject({ iterations: [{ approved: false }], checkFailures: 1, attempts: 2 });
  });

  test("has one claim at a time, which ends with its execution", () => {
    const player = advance(startRun(), "produce");
    report(player, claim("x1"));
    expect(activeRun(player).stage).toMatchObject({ claim: { execution: "x1" } });
    report(player, { of: "lost", execution: "x1" });
    expect(activeRun(player).stage).toMatchObject({ claim: null, work: { broken: 0 } });
    expect(phaseAt(player, 0).executions).toBe(1);
  });
});

describe("gate", () => {
  test("records a failed recheck as a concern after Continue", () => {
    const player = advance(startRun(supervised), "recheck");
    report(player, rechecked(result("tests", false)));
    accepted(player, goodAnswer(openWait(player)));
    expect(phaseAt(player, 0).made?.concerns).toEqual(["Continued although tests failed: tests said so"]);
  });

  test("stores the displayed tree as seen", () => {
    const player = atGate();
    expect(phaseAt(player, 0).seenTree).toBeNull();
    accepted(player, gateAnswer(openWait(player), "review"));
    expect(phaseAt(player, 0).seenTree).toBe("tree-1");
  });

  test("opens no gate and stores no output for a skipped phase", () => {
    const player = advance(startRun(supervised), "produce");
    report(player, failed("produce"));
    accepted(player, { do: "skip", by: ada, wait: openWait(player).id });
    expect(phaseAt(player, 0)).toMatchObject({ status: "skipped", made: null });
    expect(activeRun(advance(player, "enter")).index).toBe(1);
    expect(player.events.some((event) => event.type === "gate.opened")).toBe(false);
  });
});
