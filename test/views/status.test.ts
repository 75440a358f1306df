import { describe, expect, test } from "vitest";
import type { Wait } from "../../src/core/run.ts";
import { Step } from "../../src/schema/event.ts";
import { statusLines, waitLines } from "../../src/views/status.ts";
import { active, answer, ended, gate, produced, started } from "./runs.ts";

type Escalation = Extract<Wait, { kind: "escalation" }>;

const escalation = (changes: Partial<Escalation>): Escalation => ({
  kind: "escalation",
  id: "03-architecture#1/escalation-9",
  openedAt: "",
  from: "produce",
  reason: "no_result",
  detail: "It said nothing.",
  offered: ["retry"],
  paths: [],
  ...changes,
});

const PLACE = { item: null, name: (key: string) => (key === "03-architecture" ? "Architecture" : key) };

describe("status lines", () => {
  test.each(Step.options)("describe a failure of %s with its phase", (from) => {
    const [told] = waitLines(escalation({ from }), [], PLACE);
    expect(told).toMatch(/^Phase Architecture: [a-z ']{15,} \(no result\):$/);
    expect(told).not.toContain(`: ${from} failed`);
  });

  test("name no phase for a failed finish", () => {
    const [told] = waitLines(
      escalation({ id: "run/escalation-40", from: "finish", reason: "merge_conflict" }),
      [],
      PLACE,
    );
    expect(told).toBe("The work could not be finished (merge conflict):");
  });

  test("distinguish a changed test command from a failed check", () => {
    const [told] = waitLines(escalation({ from: "check", reason: "tests_changed" }), [], PLACE);
    expect(told).toBe("Phase Architecture: the way tests are run has changed:");
  });
});

test.each([
  [2, false],
  [3, true],
])("prints after %i redos that all are used: %s", (times, told) => {
  const again = Array.from({ length: times }, (_, index) => [
    gate(),
    answer("redo", "more"),
    ...produced("03-architecture", index + 2),
  ]);
  const run = active(started(), produced("03-architecture", 1), again.flat(), gate());
  const lines = statusLines(run, { driven: false }).join("\n");
  expect(lines.includes("All 3 redos of this phase are used up")).toBe(told);
});

test.each([
  ["keep", "Finished; branch feature/REQ-0001-login is kept."],
  ["discard", "Finished; the work was discarded."],
] as const)("describes a run that ended with %s: %s", (how, told) => {
  const run = ended(started(), produced("03-architecture", 1), { type: "run.finished", how, merged: null });
  expect(statusLines(run, { driven: false })).toContain(told);
});

test("prints that a gate is paused for review", () => {
  const paused = "Paused for your review; nothing continues until you answer.";
  const atGate = [...started(), ...produced("03-architecture", 1), gate()];
  expect(statusLines(active(atGate, answer("review")), { driven: false })).toContain(paused);
  expect(statusLines(active(atGate), { driven: false })).not.toContain(paused);
});
