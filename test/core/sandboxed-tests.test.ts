import { expect, test } from "vitest";
import type { CheckResult } from "../../src/schema/facts.ts";
import {
  accepted,
  activeRun,
  ada,
  advance,
  openWait,
  type Player,
  report,
  result,
  startRun,
} from "../support/run-builder.ts";

const LIMIT = "writing to /work/cache: isdlc trust --allow write:/work";
const limited: CheckResult = { ...result("tests", false), sandboxLimits: [LIMIT], detail: `1 failed\n${LIMIT}` };

function checkedWith(...results: CheckResult[]): { player: Player; events: string[] } {
  const player = advance(startRun(), "check");
  return { player, events: report(player, { of: "check", results, digest: "d", testsChanged: null }) };
}

test("asks the user, not the agent, if every failure looks like a limit of the sandbox", () => {
  const { player, events } = checkedWith(result("artifacts", true), limited);
  expect(events).toEqual(["step.escalated"]);
  expect(openWait(player)).toMatchObject({ reason: "tests_sandboxed", detail: expect.stringContaining(LIMIT) });
});

test.each<[string, CheckResult[]]>([
  ["one failure has another cause", [limited, result("artifacts", false)]],
  ["no limit is known", [result("tests", false)]],
])("sends the draft back to the agent if %s", (_, results) => {
  const { player, events } = checkedWith(...results);
  expect(events).toEqual(["checks.failed"]);
  expect(activeRun(player).stage.is).toBe("producing");
});

test("runs only the checks again after a retry, and the agent if the retry has guidance", () => {
  const { player } = checkedWith(limited);
  accepted(player, { do: "retry", by: ada, wait: openWait(player).id });
  expect(activeRun(player).stage.is).toBe("checking");
  report(player, { of: "check", results: [limited], digest: "d", testsChanged: null });
  accepted(player, { do: "retry", by: ada, wait: openWait(player).id, guidance: "Write to the build folder" });
  expect(activeRun(player).stage).toMatchObject({ is: "entering" });
});
