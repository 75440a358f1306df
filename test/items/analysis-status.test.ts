import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ANALYSIS_PHASES,
  deriveAnalysisStatus,
  deriveBacklogMarker,
  IMPLEMENTATION_PHASES,
  validatePhasesCompleted,
} from "../../src/core/items/analysis-status.ts";
import { computeStartPhase } from "../../src/core/items/start-phase.ts";
import { checkStaleness } from "../../src/core/items/staleness.ts";
import feature from "../../workflows/feature.json" with { type: "json" };
import fix from "../../workflows/fix.json" with { type: "json" };

const featurePhases = feature.phases.map(({ key }) => key);
const fixPhases = fix.phases.map(({ key }) => key);
const fixAnalysis = fix.phases.filter(({ analysis }) => analysis).map(({ key }) => key);
const [scan, requirements, impact, architecture, design] = ANALYSIS_PHASES as [string, string, string, string, string];
const light = { effective_intensity: "light", light_skip_phases: [architecture, design] };

test("the two lists of phases are the feature workflow", () => {
  expect([...ANALYSIS_PHASES, ...IMPLEMENTATION_PHASES]).toEqual(featurePhases);
});

describe("BUILD-NFR-006: the three detection functions are there for scripts to use", () => {
  test.each([validatePhasesCompleted, computeStartPhase, checkStaleness])(
    "%o takes anything without a throw",
    (call) => {
      const odd = [null, undefined, 0, "", "x", [], {}, [null], new Proxy({}, {}), Symbol("x"), () => 1, 10n];
      for (const one of odd)
        for (const two of odd) expect(() => (call as (...args: unknown[]) => unknown)(one, two)).not.toThrow();
    },
  );
});

describe("validatePhasesCompleted", () => {
  test.each([
    { name: "nothing done", list: [], valid: [] },
    { name: "one phase", list: [scan], valid: [scan] },
    { name: "all five", list: [...ANALYSIS_PHASES], valid: ANALYSIS_PHASES },
    { name: "in another order", list: [requirements, scan], valid: [scan, requirements] },
    { name: "twice the same", list: [scan, scan], valid: [scan] },
    {
      name: "BUILD-NFR-004: unknown keys are left out silently",
      list: [scan, requirements, "unknown"],
      valid: [scan, requirements],
    },
    { name: "BUILD-NFR-004: nothing but unknown keys", list: ["x", "../..", "__proto__", 7, null], valid: [] },
  ])("$name", ({ list, valid }) => {
    expect(validatePhasesCompleted(list)).toEqual({ valid, warnings: [] });
  });

  test.each([null, undefined, "00-quick-scan", 5, { 0: scan, length: 1 }])(
    "%o is not an array: one warning says so",
    (list) => {
      expect(validatePhasesCompleted(list)).toEqual({ valid: [], warnings: [expect.stringContaining("not an array")] });
    },
  );

  test.each([
    { list: [scan, impact], valid: [scan] },
    { list: [requirements, impact], valid: [] },
    { list: [scan, requirements, design, "unknown"], valid: [scan, requirements] },
  ])(
    "BUILD-AC-003-06, BUILD-ERR-003: with a gap only the phases before it count, with a warning ($list)",
    ({ list, valid }) => {
      const result = validatePhasesCompleted(list);
      expect(result.valid).toEqual(valid);
      expect(result.warnings).toEqual([expect.stringMatching(/^Non-contiguous phases detected/)]);
      const ignored = list.filter((key) => ANALYSIS_PHASES.includes(key) && !valid.includes(key));
      for (const key of ignored) expect(result.warnings[0]).toContain(key);
    },
  );

  test("another sequence may be given, and the result is no part of it", () => {
    const sequence = ["a", "b"];
    const { valid } = validatePhasesCompleted(["b", "a"], sequence);
    expect(valid).toEqual(["a", "b"]);
    valid.push("c");
    expect(sequence).toEqual(["a", "b"]);
  });
});

describe("deriveAnalysisStatus", () => {
  test.each([
    { name: "BUILD-AC-001-01: five phases", list: [...ANALYSIS_PHASES], status: "analyzed", marker: "A" },
    { name: "BUILD-AC-001-02: two phases", list: [scan, requirements], status: "partial", marker: "~" },
    { name: "BUILD-AC-001-03: none", list: [], status: "raw", marker: " " },
    { name: "five entries of one phase", list: [scan, scan, scan, scan, scan], status: "partial", marker: "~" },
    { name: "no list", list: "00-quick-scan", status: "raw", marker: " " },
    { name: "only phases of building", list: [...IMPLEMENTATION_PHASES], status: "raw", marker: " " },
  ])("VERBS-MARKERS: $name is $status, marked [$marker]", ({ list, status, marker }) => {
    expect(deriveAnalysisStatus(list)).toBe(status);
    expect(deriveBacklogMarker(status)).toBe(marker);
  });

  test("an unknown status has the marker of nothing done", () => {
    for (const status of ["done", "__proto__", null, 1]) expect(deriveBacklogMarker(status)).toBe(" ");
  });

  test.each([
    { list: [scan, requirements, impact], sizing: light, status: "analyzed" },
    { list: [scan, requirements], sizing: light, status: "partial" },
    { list: [], sizing: light, status: "raw" },
    { list: [scan, requirements, impact], sizing: { ...light, effective_intensity: "standard" }, status: "partial" },
    { list: [scan, requirements, impact], sizing: { light_skip_phases: light.light_skip_phases }, status: "analyzed" },
    { list: [scan, requirements, impact], sizing: { effective_intensity: "light" }, status: "partial" },
    { list: [scan], sizing: { light_skip_phases: [...ANALYSIS_PHASES] }, status: "partial" },
  ])("a light item needs fewer phases: $list with $sizing is $status", ({ list, sizing, status }) => {
    expect(deriveAnalysisStatus(list, sizing)).toBe(status);
    expect(computeStartPhase({ phases_completed: list, sizing_decision: sizing }, featurePhases).status).toBe(status);
  });
});

describe("computeStartPhase", () => {
  const start = (list: unknown, workflow: unknown = featurePhases) =>
    computeStartPhase({ phases_completed: list }, workflow);

  test("BUILD-AC-001-01, BUILD-NFR-005: a full analysis starts at the tests", () => {
    expect(
      computeStartPhase({ analysis_status: "analyzed", phases_completed: [...ANALYSIS_PHASES] }, featurePhases),
    ).toEqual({
      status: "analyzed",
      startPhase: "05-test-strategy",
      completedPhases: ANALYSIS_PHASES,
      remainingPhases: IMPLEMENTATION_PHASES,
      warnings: [],
    });
  });

  test("BUILD-AC-001-02, BUILD-NFR-005, BUILD-AC-003-03: a partial one goes on at the first missing phase, through the last", () => {
    expect(
      computeStartPhase({ analysis_status: "partial", phases_completed: [scan, requirements] }, featurePhases),
    ).toEqual({
      status: "partial",
      startPhase: impact,
      completedPhases: [scan, requirements],
      remainingPhases: featurePhases.slice(2),
      warnings: [],
    });
  });

  test.each([
    ["BUILD-AC-001-03: an empty list", { analysis_status: "raw", phases_completed: [] }],
    ["BUILD-AC-001-04, BUILD-US-005-01, BUILD-NFR-003: no meta", null],
    ["a status that claims more than its list", { analysis_status: "analyzed", phases_completed: [] }],
    ["a list", []],
    ["a text", "analyzed"],
  ])("%s is raw: the whole workflow", (_name, meta) => {
    const result = computeStartPhase(meta, featurePhases);
    expect(result).toEqual({
      status: "raw",
      startPhase: null,
      completedPhases: [],
      remainingPhases: featurePhases,
      warnings: [],
    });
    expect(result.remainingPhases).not.toBe(featurePhases);
  });

  test("BUILD-AC-003-06, BUILD-ERR-003: a gap ends what counts, and is told", () => {
    expect(start([scan, impact, architecture, design])).toMatchObject({
      status: "partial",
      startPhase: requirements,
      completedPhases: [scan],
      warnings: [expect.stringMatching(/^Non-contiguous/)],
    });
    expect(start([requirements])).toMatchObject({
      status: "raw",
      warnings: [expect.stringMatching(/^Non-contiguous/)],
    });
  });

  test("a list that is none is raw, and is told", () => {
    expect(start("x")).toMatchObject({ status: "raw", warnings: [expect.stringContaining("not an array")] });
  });

  test("a light item goes from the impact analysis to the tests, and never through what was left out", () => {
    const sized = (list: string[]) =>
      computeStartPhase({ phases_completed: list, sizing_decision: light }, featurePhases);
    expect(sized([scan, requirements, impact])).toMatchObject({
      status: "analyzed",
      startPhase: "05-test-strategy",
      completedPhases: [scan, requirements, impact],
      remainingPhases: IMPLEMENTATION_PHASES,
    });
    expect(sized([scan, requirements])).toMatchObject({
      startPhase: impact,
      remainingPhases: [impact, ...IMPLEMENTATION_PHASES],
    });
    expect(sized([...ANALYSIS_PHASES])).toMatchObject({
      status: "analyzed",
      completedPhases: ANALYSIS_PHASES,
      warnings: [],
    });
  });

  describe("the fix workflow, which has other phases", () => {
    test.each([
      { name: "analyzed as a feature", list: [...ANALYSIS_PHASES], startPhase: "02-tracing" },
      { name: "partly analyzed as a feature", list: [scan, requirements], startPhase: "02-tracing" },
      { name: "scanned only", list: [scan], startPhase: "01-requirements" },
    ])("$name: starts at $startPhase", ({ list, startPhase }) => {
      expect(start(list, fixPhases)).toMatchObject({
        startPhase,
        remainingPhases: fixPhases.slice(fixPhases.indexOf(startPhase)),
      });
    });

    test("the phases it marks as analysis itself count, when they are given", () => {
      const meta = { phases_completed: ["01-requirements", "02-tracing"] };
      expect(computeStartPhase(meta, fixPhases, fixAnalysis)).toMatchObject({
        status: "analyzed",
        startPhase: "05-test-strategy",
      });
      const asFeature = { phases_completed: [...ANALYSIS_PHASES] };
      expect(computeStartPhase(asFeature, fixPhases, fixAnalysis)).toMatchObject({
        status: "partial",
        startPhase: "02-tracing",
      });
    });
  });

  test("a workflow of analysis phases alone has nothing left when they are done", () => {
    expect(start([...ANALYSIS_PHASES], [...ANALYSIS_PHASES])).toMatchObject({ startPhase: null, remainingPhases: [] });
  });

  test("the start is a phase of the workflow or null, and the rest of it follows, whatever was given", () => {
    const key = fc.constantFrom(...featurePhases, "02-tracing", "x", "__proto__");
    const keys = fc.array(key, { maxLength: 8 });
    const seen = new Set<string>();
    fc.assert(
      fc.property(keys, fc.uniqueArray(key), fc.option(keys), (done, workflow, skipped) => {
        const meta = {
          phases_completed: done,
          sizing_decision: skipped === null ? undefined : { light_skip_phases: skipped },
        };
        const { status, startPhase, remainingPhases } = computeStartPhase(meta, workflow);
        seen.add(`${status}:${startPhase === null ? "none" : "some"}`);
        if (startPhase !== null) expect(workflow).toContain(startPhase);
        if (startPhase !== null) expect(remainingPhases[0]).toBe(startPhase);
        expect(workflow.filter((phase) => remainingPhases.includes(phase))).toEqual(remainingPhases);
      }),
      { numRuns: 2000 },
    );
    expect([...seen].sort()).toEqual(["analyzed:none", "analyzed:some", "partial:none", "partial:some", "raw:none"]);
  });
});
