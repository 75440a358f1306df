import { describe, expect, test } from "vitest";
import {
  accepted,
  activeRun,
  ada,
  advance,
  checked,
  good,
  openWait,
  phaseRule,
  type Player,
  redo,
  report,
  result,
  startRun,
  verdict,
} from "../support/run-builder.ts";
import { why } from "./supervised-run.ts";

/** A run that adopted three commits, at the end of its preparation. */
function adopting(verdicts = 0): Player {
  const plan = [
    phaseRule({ key: "adopt", adopts: true, gate: "always", writes: "tree", tests: true, outputs: [], verdicts }),
  ];
  const git = { branch: "adopt/login", base: "main", commit: "c0", adopts: { head: "c3", commits: 3 } };
  return advance(startRun({ plan, git }), "enter");
}

describe("adopted work", () => {
  test("is the draft of the first attempt, on a branch that starts at its last commit", () => {
    const player = adopting();
    expect(activeRun(player).tip).toBe("c3");
    expect(report(player, good("enter"))).toEqual(["attempt.started", "draft.produced"]);
    expect(activeRun(player).stage.is).toBe("checking");
  });

  test("reaches its gate with failed checks, which the gate lists", () => {
    const player = advance(adopting(), "check");
    expect(report(player, checked(result("tests", false)))).toEqual(["checks.recorded"]);
    advance(player, "complete");
    report(player, good("complete"));
    expect(openWait(player)).toMatchObject({ kind: "gate", failures: [{ name: "tests", ok: false }] });
  });

  test("is reviewed once, because no agent of the run could revise it", () => {
    const player = advance(adopting(3), "review");
    report(player, verdict(false));
    expect(activeRun(player).stage.is).toBe("completing");
  });

  test("has nothing to go back to, and a redo is a normal attempt", () => {
    const player = advance(adopting(), "complete");
    report(player, good("complete"));
    expect(why(player, { do: "back", by: ada, to: "adopt", tree: "restore" })).toBe("nothingBefore");
    accepted(player, redo(player, "Name the file"));
    expect(report(player, good("enter"))).toEqual(["attempt.started"]);
    advance(player, "check");
    expect(report(player, checked(result("tests", false)))).toEqual(["checks.failed"]);
  });
});
