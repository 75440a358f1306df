import { describe, expect, test } from "vitest";
import { next, type Next } from "../../src/core/next.ts";
import type { Step } from "../../src/schema/event.ts";
import {
  accepted,
  ada,
  advance,
  createPlayer,
  everyPhase,
  failed,
  openWait,
  type Player,
  redo,
  report,
  start,
  startRun,
  threePhases,
} from "../support/run-builder.ts";
import { asks, claim, gateAnswer } from "../support/run-scripts.ts";

const supervised = { supervision: everyPhase };
const asked = { ...supervised, options: { ...start().facts.options, finish: "ask" as const } };
const atGate = (): Player => advance(startRun(supervised), "gate");
const actionOf = (player: Player): Extract<Next, { is: "action" }> => {
  const now = next(player.state);
  if (now.is !== "action") throw new Error(`expected an action: ${JSON.stringify(now)}`);
  return now;
};

describe("next step", () => {
  test.for<[Step, string | null]>([
    ["prepare", null],
    ["enter", "01-requirements#1"],
    ["produce", "01-requirements#1"],
    ["check", "01-requirements#1"],
    ["review", "01-requirements#1"],
    ["complete", "01-requirements#1"],
    ["recheck", "01-requirements#1"],
    ["commit", "01-requirements#1"],
    ["measure", "01-requirements#1"],
    ["refine", "01-requirements#1"],
    ["rewind", "01-requirements#1"],
    ["finish", null],
  ])("names %s with attempt %s and a unique ticket", ([step, attempt]) => {
    const plan = threePhases.map((rule) => ({ ...rule, after: ["sizing" as const, "refinement" as const] }));
    const player = startRun({ ...supervised, plan });
    if (step === "rewind")
      accepted(advance(player, "check"), { do: "back", by: ada, to: "01-requirements", tree: "restore" });
    advance(player, step);
    const since = player.events.at(-1)?.seq;
    expect(actionOf(player)).toEqual({ is: "action", step, attempt, ticket: `${attempt ?? "run"}@${since}` });
  });

  test("never repeats a ticket in a run", () => {
    const player = startRun(supervised);
    const tickets: string[] = [];
    for (const step of ["prepare", "enter", "produce"] as const) tickets.push(actionOf(advance(player, step)).ticket);
    report(player, claim("x1"));
    tickets.push(actionOf(player).ticket);
    report(player, { of: "lost", execution: "x1" });
    tickets.push(actionOf(player).ticket);
    for (const step of ["check", "review", "complete"] as const) tickets.push(actionOf(advance(player, step)).ticket);
    accepted(advance(player, "gate"), redo(player, "again"));
    for (const step of ["enter", "produce", "check", "review", "complete", "recheck", "commit", "enter"] as const)
      tickets.push(actionOf(advance(player, step)).ticket);
    tickets.push(actionOf(advance(player, "finish")).ticket);
    expect(new Set(tickets).size).toBe(tickets.length);
    expect(tickets).toHaveLength(17);
  });

  test("is unchanged after a crash", () => {
    const player = advance(startRun(supervised), "review");
    const before = next(player.state);
    player.reload();
    expect(next(player.state)).toEqual(before);
  });

  test("belongs to the new attempt after a redo", () => {
    const player = atGate();
    accepted(player, redo(player, "again"));
    expect(actionOf(player)).toMatchObject({ step: "enter", attempt: "01-requirements#2" });
  });
});

describe("options of a wait", () => {
  const paused = (): Player => {
    const player = atGate();
    accepted(player, gateAnswer(openWait(player), "review"));
    return player;
  };
  const spent = (): Player => {
    const player = atGate();
    for (let redos = 0; redos < 3; redos += 1) {
      accepted(player, redo(player, ""));
      advance(player, "gate");
    }
    return player;
  };
  const unanswered = (): Player => {
    const player = advance(startRun(), "produce");
    report(player, asks);
    return player;
  };
  const failedAt = (player: Player, step: Step): Player => {
    report(advance(player, step), failed(step));
    return player;
  };
  const escalated = (step: Step): Player => failedAt(startRun(supervised), step);
  const sizedRun = (): Player => startRun({ plan: threePhases.map((rule) => ({ ...rule, after: ["sizing"] })) });

  test.for<[string, () => Player, string[]]>([
    ["at a gate with relaxed settings", atGate, ["continue", "review", "redo", "loosen"]],
    ["at a paused gate", paused, ["continue", "redo", "loosen"]],
    ["at a gate after three redos", spent, ["continue", "review", "loosen"]],
    ["for questions", unanswered, ["answer"]],
    ["for a failed phase", () => escalated("produce"), ["retry", "skip", "cancel"]],
    ["for the sizing decision", () => advance(sizedRun(), "sizing"), ["accept", "light", "standard"]],
    ["for a failed measurement", () => failedAt(sizedRun(), "measure"), ["retry", "skip", "cancel"]],
    ["for a failed completion", () => escalated("complete"), ["retry", "cancel"]],
  ])("lists the options %s", ([, reach, options]) => {
    const now = next(reach().state);
    expect(now.is === "wait" ? now.options : []).toEqual(options);
  });

  test.for<[string, Parameters<typeof startRun>[0], string[]]>([
    ["with a branch", asked, ["merge", "squash", "pr", "keep"]],
    ["without git", { ...asked, git: null }, []],
    ["without a branch", { ...asked, git: { branch: null, base: null, commit: "c0ffee" } }, []],
    ["without commits", { ...asked, options: { ...asked.options, commits: "none" } }, []],
  ])("lists the ways to finish after the last phase %s", ([, facts, options]) => {
    const player = startRun(facts);
    while (player.state.is === "active" && player.state.index < 3) {
      advance(player, "commit");
      report(player, { of: "commit", commit: null });
    }
    const now = next(player.state);
    expect(now.is === "wait" ? now.options : []).toEqual(options);
    if (options.length === 0) expect(now).toMatchObject({ is: "action", step: "finish" });
  });
});

test("reports done without a run, after the finish and after a cancel", () => {
  const cancelled = startRun();
  accepted(cancelled, { do: "cancel", by: ada, reason: "enough" });
  expect(next(createPlayer().state)).toEqual({ is: "done", how: "none" });
  expect(next(advance(startRun(), "done").state)).toEqual({ is: "done", how: "finished" });
  expect(next(cancelled.state)).toEqual({ is: "done", how: "cancelled" });
});
