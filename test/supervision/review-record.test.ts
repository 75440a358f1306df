import { describe, expect, test } from "vitest";
import { recordReviewAction } from "../../src/library/phase-summary/record-review-action.ts";
import { minutesBetween } from "../../src/core/duration.ts";
import { phaseDisplayName } from "../../src/core/phase-names.ts";
import { readRedoCount, resetPhasesForWorkflow } from "../../src/library/review-record.ts";

describe("recordReviewAction", () => {
  test("appends one entry with details and time per choice [SM-AC-08a]", () => {
    const state = { active_workflow: { review_history: [] as Record<string, unknown>[] } };
    const before = new Date().toISOString();
    expect(recordReviewAction(state, "03-architecture", "continue", {})).toBe(true);
    expect(recordReviewAction(state, "04-design", "review", { paused_at: "a", resumed_at: "b" })).toBe(true);
    expect(
      recordReviewAction(state, "06-implementation", "redo", { redo_count: 1, guidance: "again", timestamp: "t" }),
    ).toBe(true);
    const [first, second, third] = state.active_workflow.review_history;
    expect(first).toEqual({ phase: "03-architecture", action: "continue", timestamp: expect.any(String) as string });
    expect(String(first?.["timestamp"]) >= before).toBe(true);
    expect(second).toMatchObject({ phase: "04-design", action: "review", paused_at: "a", resumed_at: "b" });
    expect(third).toEqual({
      phase: "06-implementation",
      action: "redo",
      timestamp: "t",
      redo_count: 1,
      guidance: "again",
    });
  });

  test.each([["a text"], [null], [{ length: 1 }], [undefined]])(
    "replaces a review_history that is not a list (%j) [SM-ERR-700]",
    (history) => {
      const state = { active_workflow: { review_history: history as unknown } };
      expect(recordReviewAction(state, "03-architecture", "continue", {})).toBe(true);
      expect(state.active_workflow.review_history).toHaveLength(1);
    },
  );

  test.each<[unknown]>([[{}], [{ active_workflow: null }], [{ active_workflow: [] }], [null], [undefined], ["x"]])(
    "records nothing without an active workflow (%j) [SM-ERR-701]",
    (state) => {
      const before = JSON.stringify(state);
      expect(recordReviewAction(state, "03-architecture", "continue", {})).toBe(false);
      expect(JSON.stringify(state)).toBe(before);
    },
  );

  test("protects the phase and prototype from details, and survives frozen state", () => {
    const state = { active_workflow: {} as { review_history?: unknown[] } };
    const details: unknown = JSON.parse('{"phase":"x","action":"y","__proto__":{"polluted":true}}');
    recordReviewAction(state, "03-architecture", "continue", details);
    expect(state.active_workflow.review_history?.[0]).toMatchObject({ phase: "03-architecture", action: "continue" });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(recordReviewAction({ active_workflow: Object.freeze({}) }, "03-architecture", "continue", {})).toBe(false);
  });
});

describe("readRedoCount", () => {
  test.each<[unknown, number]>([
    [0, 0],
    [2, 2],
    [3, 3],
    [4, 3],
    [-1, 3],
    [Number.NaN, 3],
    [1.5, 3],
    ["1", 3],
    [null, 3],
  ])("reads a redo_count of %j as %j [SM-ERR-401]", (count, expected) => {
    expect(readRedoCount({ active_workflow: { supervised_review: { redo_count: count } } })).toBe(expected);
  });

  test("returns 0 without a review", () => {
    expect(readRedoCount({ active_workflow: {} })).toBe(0);
  });
});

test("resets the phases in place with resetPhasesForWorkflow", () => {
  const state = { phases: { "99-old": { status: "completed" } } as Record<string, unknown>, other: 1 };
  expect(resetPhasesForWorkflow(state, ["05-test-strategy", "__proto__", 7])).toBe(state);
  expect(Object.keys(state.phases)).toEqual(["05-test-strategy", "__proto__"]);
  expect(state.phases["05-test-strategy"]).toEqual({
    status: "pending",
    started: null,
    completed: null,
    gate_passed: null,
    artifacts: [],
  });
  expect(({} as { status?: unknown }).status).toBeUndefined();
  expect(resetPhasesForWorkflow(null, ["a"])).toBeNull();
});

test.each([
  ["00-quick-scan", "Quick Scan"],
  ["02-tracing", "Root Cause Tracing"],
  ["04-design", "Design & Specifications"],
  ["15-upgrade-execute", "Upgrade Execution"],
  ["42-data-migration", "Data Migration"],
  ["create-plan", "Create Plan"],
])("names the phase %s %s", (key, name) => {
  expect(phaseDisplayName(key)).toBe(name);
});

test.each<[unknown, unknown, number | null]>([
  ["2026-02-14T10:00:00Z", "2026-02-14T10:45:20.123Z", 45],
  ["2026-02-14T10:00:00Z", "2026-02-14T12:00:00+02:00", 0],
  ["2026-02-14T10:00:00Z", "2026-02-14T09:00:00Z", null],
  ["yesterday", "2026-02-14T09:00:00Z", null],
  ["2026-02-31T99:00:00Z", "2026-02-14T09:00:00Z", null],
  [1, 2, null],
  [null, undefined, null],
])("computes the minutes from %j to %j as %j [SM-ERR-205]", (from, to, minutes) => {
  expect(minutesBetween(from, to)).toBe(minutes);
});
