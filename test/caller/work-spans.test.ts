import { expect, test } from "vitest";
import { workSpans } from "../../src/app/authorize/agent-work.ts";
import type { RunEvent } from "../../src/schema/event.ts";

/** Only type, time and choice are read. */
const event = (type: RunEvent["type"], at: number, more: object = {}): RunEvent =>
  ({ type, at: new Date(at).toISOString(), ...more }) as RunEvent;

const continued = { choice: "continue" };

test.each<[string, readonly RunEvent[], readonly (readonly [number, number | null])[]]>([
  ["are missing before an agent starts", [event("run.started", 1), event("run.prepared", 2)], []],
  ["last from the start of an execution", [event("run.started", 1), event("execution.started", 5)], [[5, null]]],
  [
    "end when the gate opens, after the tests",
    [event("execution.started", 5), event("execution.ended", 6), event("checks.passed", 8), event("gate.opened", 9)],
    [[5, 9]],
  ],
  [
    "restart at the answer, because hooks run at the commit",
    [event("execution.started", 5), event("gate.opened", 9), event("gate.answered", 20, continued)],
    [
      [5, 9],
      [20, null],
    ],
  ],
  [
    "pause while the user reviews",
    [event("execution.started", 5), event("gate.opened", 9), event("gate.answered", 20, { choice: "review" })],
    [[5, 9]],
  ],
  [
    "pause while the user handles a failure",
    [event("execution.started", 5), event("step.escalated", 7), event("step.retried", 30), event("gate.opened", 40)],
    [
      [5, 7],
      [30, 40],
    ],
  ],
])("finds that work spans %s [S10]", (_, events, expected) => {
  expect(workSpans(events)).toEqual(expected.map(([since, until]) => ({ since, until })));
});
