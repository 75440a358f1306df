import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/core/command.ts";
import {
  advance,
  checked,
  everyPhase,
  execution,
  openWait,
  phaseAt,
  phaseRule,
  produced,
  report,
  result,
  startRun,
  verdict,
} from "../support/run-builder.ts";

const unreadable = (reason: string, again = true): Outcome => ({
  of: "broken",
  reason,
  detail: "no JSON at all",
  again,
  ...execution,
});

describe("reviewer without a verdict", () => {
  test.each(["invalid_result", "no_result"])("returns a verdict in a second turn after %s", (reason) => {
    const player = advance(startRun(), "review");
    expect(report(player, unreadable(reason))).toEqual(["execution.ended"]);
    report(player, verdict(true));
    expect(phaseAt(advance(player, "commit"), 0).made).toMatchObject({ approved: true, concerns: [] });
  });

  test.each(["invalid_result", "no_result"])("counts as unapproved with a concern after two times %s", (reason) => {
    const player = advance(startRun({ supervision: everyPhase }), "review");
    report(player, unreadable(reason));
    expect(report(player, unreadable(reason))).toEqual(["execution.ended", "verdict.given"]);
    advance(player, "gate");
    expect(phaseAt(player, 0).made).toMatchObject({
      approved: false,
      concerns: [expect.stringMatching(/^No verdict: .*no JSON at all$/)],
    });
  });

  test.each(["bad_exit", "silent", "agent_failed"])("escalates after two times %s", (reason) => {
    const player = advance(startRun(), "review");
    report(player, unreadable(reason));
    report(player, unreadable(reason));
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: "review", reason });
  });
});

describe("verdict found by code", () => {
  test("returns the draft without running a reviewer", () => {
    const player = advance(startRun({ plan: [phaseRule({ verdicts: 3 })] }), "review");
    const missing = { severity: "blocker" as const, description: "spec.md is missing", location: null };
    const outcome: Outcome = { of: "judge", verdict: { approved: true, issues: [missing], summary: "" } };
    expect(report(player, outcome)).toEqual(["verdict.given"]);
    expect(player.state).toMatchObject({ stage: { is: "producing", brief: { why: "findings" } } });
  });
});

describe("review-only phase", () => {
  const plan = [phaseRule({ judged: true, verdicts: 1, checks: { limit: 1, breaker: 1 } })];

  test("is checked and reviewed immediately and only once", () => {
    const player = advance(startRun({ plan }), "enter");
    expect(report(player, { of: "enter", commit: null, tree: null })).toEqual(["attempt.started", "draft.produced"]);
    advance(player, "review");
    report(player, verdict(false, "R2 is not implemented"));
    expect(player.state).toMatchObject({ stage: { is: "completing" } });
    expect(phaseAt(advance(player, "commit"), 0).made).toMatchObject({
      approved: false,
      concerns: ["F1: R2 is not implemented"],
    });
    expect(phaseAt(player, 0).executions).toBe(0);
  });

  test("escalates if a check fails, as it has no agent", () => {
    const player = advance(startRun({ plan }), "check");
    report(player, checked(result("tests", false)));
    expect(openWait(player)).toMatchObject({ kind: "escalation", from: "check" });
  });
});

test("records a concern for files dropped from a sandbox, despite approval", () => {
  const player = advance(startRun(), "produce");
  report(player, { ...produced, dropped: ["src/stray.txt"] } as Outcome);
  expect(phaseAt(advance(player, "commit"), 0).made).toMatchObject({
    approved: true,
    concerns: ["Not kept, as it lies outside of the item's folder or is a link: src/stray.txt"],
  });
});
