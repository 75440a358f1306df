import { describe, expect, test } from "vitest";
import {
  accepted,
  activeRun,
  ada,
  advance,
  completed,
  everyPhase,
  failed,
  openWait,
  phaseAt,
  type Player,
  rechecked,
  report,
  result,
  startRun,
} from "../support/run-builder.ts";
import { gateAnswer } from "../support/run-scripts.ts";

const failedRecheck = (): Player => {
  const player = advance(startRun({ supervision: everyPhase }), "recheck");
  report(player, rechecked(result("tests", false)));
  return player;
};

describe("check that fails after a user edit", () => {
  test("opens the gate again with the failed check", () => {
    expect(openWait(failedRecheck())).toMatchObject({ kind: "gate", failures: [{ name: "tests", ok: false }] });
  });

  test("accepts a repeated failure after Continue, and records one concern", () => {
    const player = failedRecheck();
    accepted(player, gateAnswer(openWait(player), "continue"));
    expect(report(player, rechecked(result("tests", false)))).toEqual(["phase.rechecked", "phase.accepted"]);
    expect(phaseAt(player, 0).made?.concerns).toEqual(["Continued although tests failed: tests said so"]);
  });

  test("reopens the gate if the same check fails differently", () => {
    const player = failedRecheck();
    accepted(player, gateAnswer(openWait(player), "continue"));
    report(player, rechecked({ name: "tests", ok: false, detail: "another test fails" }));
    expect(openWait(player)).toMatchObject({ kind: "gate", failures: [{ detail: "another test fails" }] });
  });

  test("reopens the gate for each unreviewed change, even after Continue", () => {
    const unseen = {
      name: "shown as it is",
      ok: false,
      detail: "Files changed after the summary: src/x (modified)",
    };
    const player = advance(startRun({ supervision: everyPhase }), "recheck");
    for (let round = 0; round < 2; round++) {
      report(player, rechecked(unseen));
      expect(openWait(player)).toMatchObject({ kind: "gate", failures: [unseen] });
      accepted(player, gateAnswer(openWait(player), "continue"));
    }
    report(player, rechecked());
    expect(activeRun(player).stage.is).toBe("accepting");
  });

  test("reopens the gate if another check fails", () => {
    const player = failedRecheck();
    accepted(player, gateAnswer(openWait(player), "continue"));
    report(player, rechecked(result("tests", false), result("artifacts", false)));
    expect(openWait(player)).toMatchObject({ kind: "gate", failures: [{ name: "artifacts" }] });
  });

  test("keeps the offer to accept relaxed settings", () => {
    const player = startRun({ supervision: everyPhase });
    report(advance(player, "complete"), completed({ is: "absent" }));
    accepted(player, gateAnswer(openWait(player), "continue"));
    report(player, rechecked(result("tests", false)));
    expect(openWait(player)).toMatchObject({ loosened: { enabled: false } });
  });
});

describe("step that fails with a claimed execution", () => {
  const claim = { execution: "x1", nonce: "n", driver: { pid: 1, started: "1", boot: "b" } };

  test("ends the execution in the journal too", () => {
    const player = advance(startRun(), "produce");
    report(player, { of: "claim", claim });
    expect(report(player, failed("produce"))).toEqual(["execution.ended", "step.escalated"]);
  });

  test("allows one broken review after a retry before escalating again", () => {
    const player = advance(startRun(), "review");
    const broken = {
      of: "broken",
      reason: "bad_exit",
      detail: "",
      again: true,
      execution: "x1",
      usage: null,
      session: null,
    } as const;
    report(player, broken);
    report(player, broken);
    accepted(player, { do: "retry", by: ada, wait: openWait(player).id });
    expect(report(player, broken)).toEqual(["execution.ended"]);
    expect(activeRun(player).wait).toBeNull();
  });
});
