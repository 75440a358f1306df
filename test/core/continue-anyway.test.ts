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

describe("a check that fails after a person edited", () => {
  test("opens the gate again, with what failed", () => {
    expect(openWait(failedRecheck())).toMatchObject({ kind: "gate", failures: [{ name: "tests", ok: false }] });
  });

  test("continuing over it is accepted although it fails again, and recorded once as a concern", () => {
    const player = failedRecheck();
    accepted(player, gateAnswer(openWait(player), "continue"));
    expect(report(player, rechecked(result("tests", false)))).toEqual(["phase.rechecked", "phase.accepted"]);
    expect(phaseAt(player, 0).made?.concerns).toEqual(["Continued although tests failed: tests said so"]);
  });

  test("the same check failing in another way is not covered by that", () => {
    const player = failedRecheck();
    accepted(player, gateAnswer(openWait(player), "continue"));
    report(player, rechecked({ name: "tests", ok: false, detail: "another test fails" }));
    expect(openWait(player)).toMatchObject({ kind: "gate", failures: [{ detail: "another test fails" }] });
  });

  test("files that changed unseen are shown each time, however often the person continues", () => {
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

  test("another check that fails meanwhile is not covered by that", () => {
    const player = failedRecheck();
    accepted(player, gateAnswer(openWait(player), "continue"));
    report(player, rechecked(result("tests", false), result("artifacts", false)));
    expect(openWait(player)).toMatchObject({ kind: "gate", failures: [{ name: "artifacts" }] });
  });

  test("the offer to agree to loosened settings is not lost", () => {
    const player = startRun({ supervision: everyPhase });
    report(advance(player, "complete"), completed({ is: "absent" }));
    accepted(player, gateAnswer(openWait(player), "continue"));
    report(player, rechecked(result("tests", false)));
    expect(openWait(player)).toMatchObject({ loosened: { enabled: false } });
  });
});

describe("a step that fails around a claimed execution", () => {
  const claim = { execution: "x1", nonce: "n", driver: { pid: 1, started: "1", boot: "b" } };

  test("ends the execution in the journal too", () => {
    const player = advance(startRun(), "produce");
    report(player, { of: "claim", claim });
    expect(report(player, failed("produce"))).toEqual(["execution.ended", "step.escalated"]);
  });

  test("a retried review may break once before a person is asked again", () => {
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
