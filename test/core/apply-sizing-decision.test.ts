import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import * as library from "../../src/index.ts";

const { applySizingDecision } = library;
const said = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
const warnings = (): string => said.mock.calls.map(([text]) => String(text)).join("");
afterEach(() => void said.mockClear());
afterAll(() => said.mockRestore());

const FEATURE = [
  "00-quick-scan",
  "01-requirements",
  "02-impact-analysis",
  "03-architecture",
  "04-design",
  "05-test-strategy",
  "06-implementation",
];
const LIGHT = FEATURE.filter((key) => key !== "03-architecture" && key !== "04-design");

function stateOf(phases: readonly string[] = FEATURE, completed = 3) {
  const status = (index: number): string => (index < completed ? "completed" : "pending");
  return {
    other: { kept: true },
    active_workflow: {
      type: "feature",
      phases: [...phases],
      current_phase: "02-impact-analysis",
      current_phase_index: 2,
      phase_status: Object.fromEntries(phases.map((key, index) => [key, status(index)])),
    } as Record<string, unknown>,
    phases: Object.fromEntries(phases.map((key, index) => [key, { status: status(index), artifacts: [key] }])),
  };
}
const metrics = { file_count: 3, module_count: 1, risk_score: "low", coupling: "low", coverage_gaps: 2 };
const sizingIn = (state: ReturnType<typeof stateOf>) => state.active_workflow["sizing"] as Record<string, unknown>;

describe("applySizingDecision [SIZE-APPLY]", () => {
  test("removes architecture and design from phases, statuses and index, in place", () => {
    const state = stateOf();
    expect(applySizingDecision(state, "light", { metrics })).toBe(state);
    expect(state.active_workflow).toMatchObject({ phases: LIGHT, current_phase_index: 3 });
    expect(Object.keys(state.active_workflow["phase_status"] as object)).toEqual(LIGHT);
    expect(Object.keys(state.phases)).toEqual(LIGHT);
    expect(state.phases["05-test-strategy"]).toEqual({ status: "pending", artifacts: ["05-test-strategy"] });
    expect(state.other).toEqual({ kept: true });
  });

  test.for<[unknown, string, boolean]>([
    ["standard", "standard", false],
    ["epic", "epic", true],
    ["huge", "standard", false],
    [undefined, "standard", false],
  ])("keeps every phase for size %s", ([intensity, recorded, deferred]) => {
    const state = stateOf();
    applySizingDecision(state, intensity, { metrics });
    const { active_workflow: workflow, ...rest } = state;
    const { sizing, ...unchanged } = workflow;
    expect({ active_workflow: unchanged, ...rest }).toEqual(stateOf());
    expect(sizing).toMatchObject({ intensity: recorded, effective_intensity: "standard", epic_deferred: deferred });
  });

  test.for<[unknown, string]>([
    ["huge\nfaked: line", '[sizing] "huge faked: line" is not an intensity'],
    [5, "[sizing] number is not an intensity"],
    [undefined, "[sizing] undefined is not an intensity"],
  ])("prints the invalid intensity %j to stderr and records standard", ([intensity, line]) => {
    const state = stateOf();
    applySizingDecision(state, intensity, { metrics });
    expect(warnings()).toContain(line);
    expect(warnings().trimEnd().split("\n")).toHaveLength(1);
    expect(sizingIn(state)).toMatchObject({ intensity: "standard" });
  });

  test("drops the phases configured in light_skip_phases", () => {
    const state = stateOf();
    applySizingDecision(state, "light", { config: { light_skip_phases: ["04-design"] } });
    expect(state.active_workflow).toMatchObject({ phases: FEATURE.filter((key) => key !== "04-design") });
  });

  test("continues after the last completed phase if there is no impact analysis", () => {
    const phases = ["01-requirements", "03-architecture", "05-test-strategy", "06-implementation"];
    const state = stateOf(phases, 1);
    applySizingDecision(state, "light");
    expect(state.active_workflow).toMatchObject({ current_phase_index: 1 });
    const untouched = stateOf(phases, 0);
    applySizingDecision(untouched, "light");
    expect(untouched.active_workflow).toMatchObject({ current_phase_index: 0 });
  });

  test("accepts a workflow without phase_status", () => {
    const state = stateOf();
    delete state.active_workflow["phase_status"];
    applySizingDecision(state, "light");
    expect(state.active_workflow).toMatchObject({ phases: LIGHT });
    expect(state.active_workflow).not.toHaveProperty("phase_status");
  });

  type Break = (state: ReturnType<typeof stateOf>) => void;
  test.for<[string, () => ReturnType<typeof stateOf>, Break, string]>([
    [
      "too few phases",
      () => stateOf(["02-impact-analysis", "03-architecture", "05-test-strategy"], 1),
      () => undefined,
      "Only 2 phases would be left.",
    ],
    [
      "no phase to continue with",
      () => stateOf(["00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture"]),
      () => undefined,
      "No phase would be left to continue with.",
    ],
    [
      "a status of an unknown phase",
      stateOf,
      (state) => Object.assign(state.active_workflow["phase_status"] as object, { "77-x": "pending" }),
      "phase_status names 77-x, which is not a phase of the workflow.",
    ],
    [
      "the next phase already started",
      () => stateOf(FEATURE, 6),
      () => undefined,
      "05-test-strategy has already started.",
    ],
    [
      "phases that are not a list",
      stateOf,
      (state) => Object.assign(state.active_workflow, { phases: "all" }),
      "Only 0 phases would be left.",
    ],
  ])("restores the state if an invariant is broken: %s", ([, make, breakIt, reason]) => {
    const [state, before] = [make(), make()];
    breakIt(state);
    breakIt(before);
    applySizingDecision(state, "light", { metrics });
    expect(sizingIn(state)).toMatchObject({
      intensity: "light",
      effective_intensity: "standard",
      fallback_reason: "invariant_check_failed",
    });
    expect(warnings()).toContain(`[sizing] ${reason}`);
    delete state.active_workflow["sizing"];
    expect(state).toEqual(before);
  });

  test.for<[string, unknown]>([
    ["null", null],
    ["text", "state"],
    ["a missing workflow", { active_workflow: null }],
    ["a damaged workflow", { active_workflow: [] }],
    ["a frozen state", Object.freeze({ active_workflow: { phases: FEATURE } })],
    ["a frozen workflow", { active_workflow: Object.freeze({ phases: FEATURE }) }],
  ])("leaves invalid state unchanged: %s", ([, state]) => {
    const before = JSON.stringify(state);
    expect(applySizingDecision(state, "light")).toBe(state);
    expect(JSON.stringify(state)).toBe(before);
  });
});

describe("record of applySizingDecision [SIZE-RECORD]", () => {
  test("records every field", () => {
    const state = stateOf();
    applySizingDecision(state, "light", {
      metrics,
      forced_by_flag: true,
      overridden: true,
      overridden_to: "light",
      reason: "small",
      user_prompted: true,
      fallback_source: "quick-scan",
      fallback_attempted: true,
      decided_at: "2026-01-05T00:00:00.000Z",
    });
    expect(sizingIn(state)).toEqual({
      intensity: "light",
      effective_intensity: "light",
      ...metrics,
      recommended_by: "user",
      overridden: true,
      overridden_to: "light",
      decided_at: "2026-01-05T00:00:00.000Z",
      forced_by_flag: true,
      epic_deferred: false,
      reason: "small",
      user_prompted: true,
      fallback_source: "quick-scan",
      fallback_attempted: true,
    });
  });

  test("records defaults for invalid options", () => {
    const state = stateOf();
    applySizingDecision(state, "standard", { metrics: { file_count: "9" }, overridden: 1, reason: {} } as never);
    expect(sizingIn(state)).toMatchObject({
      file_count: 0,
      risk_score: "unknown",
      recommended_by: "framework",
      overridden: false,
      overridden_to: null,
      reason: null,
    });
  });

  test("adds the time in the published function, and exports all four functions", () => {
    const state = stateOf();
    library.applySizingDecision(state, "standard");
    expect(Math.abs(Date.parse(String(sizingIn(state)["decided_at"])) - Date.now())).toBeLessThan(60_000);
    expect(Object.keys(library)).toEqual(
      expect.arrayContaining([
        "applySizingDecision",
        "computeSizingRecommendation",
        "extractFallbackSizingMetrics",
        "parseSizingFromImpactAnalysis",
      ]),
    );
  });
});
