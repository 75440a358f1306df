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

test("divides the feature workflow into two lists of phases", () => {
  expect([...ANALYSIS_PHASES, ...IMPLEMENTATION_PHASES]).toEqual(featurePhases);
});

describe("detection functions for scripts [BUILD-NFR-006]", () => {
  test.each([validatePhasesCompleted, computeStartPhase, checkStaleness])(
    "accept any arguments of %o without an exception",
    (call) => {
      const odd = [null, undefined, 0, "", "x", [], {}, [null], new Proxy({}, {}), Symbol("x"), () => 1, 10n];
      for (const one of odd)
        for (const two of odd) expect(() => (call as (...args: unknown[]) => unknown)(one, two)).not.toThrow();
    },
  );
});

describe("validatePhasesCompleted", () => {
  test.each([
    { name: "no phase", list: [], valid: [] },
    { name: "one phase", list: [scan], valid: [scan] },
    { name: "all five", list: [...ANALYSIS_PHASES], valid: ANALYSIS_PHASES },
    { name: "phases in another order", list: [requirements, scan], valid: [scan, requirements] },
    { name: "a repeated phase", list: [scan, scan], valid: [scan] },
    {
      name: "unknown keys, without a warning [BUILD-NFR-004]",
      list: [scan, requirements, "unknown"],
      valid: [scan, requirements],
    },
    { name: "only unknown keys [BUILD-NFR-004]", list: ["x", "../..", "__proto__", 7, null], valid: [] },
  ])("returns the valid phases of $name", ({ list, valid }) => {
    expect(validatePhasesCompleted(list)).toEqual({ valid, warnings: [] });
  });

  test.each([null, undefined, "00-quick-scan", 5, { 0: scan, length: 1 }])("warns that %o is not an array", (list) => {
    expect(validatePhasesCompleted(list)).toEqual({ valid: [], warnings: [expect.stringContaining("not an array")] });
  });

  test.each([
    { list: [scan, impact], valid: [scan] },
    { list: [requirements, impact], valid: [] },
    { list: [scan, requirements, design, "unknown"], valid: [scan, requirements] },
  ])("keeps only phases before a gap, with a warning ($list) [BUILD-AC-003-06, BUILD-ERR-003]", ({ list, valid }) => {
    const result = validatePhasesCompleted(list);
    expect(result.valid).toEqual(valid);
    expect(result.warnings).toEqual([expect.stringMatching(/^Non-contiguous phases detected/)]);
    const ignored = list.filter((key) => ANALYSIS_PHASES.includes(key) && !valid.includes(key));
    for (const key of ignored) expect(result.warnings[0]).toContain(key);
  });

  test("accepts another sequence and returns a copy", () => {
    const sequence = ["a", "b"];
    const { valid } = validatePhasesCompleted(["b", "a"], sequence);
    expect(valid).toEqual(["a", "b"]);
    valid.push("c");
    expect(sequence).toEqual(["a", "b"]);
  });
});

describe("deriveAnalysisStatus", () => {
  test.each([
    { name: "five phases [BUILD-AC-001-01]", list: [...ANALYSIS_PHASES], status: "analyzed", marker: "A" },
    { name: "two phases [BUILD-AC-001-02]", list: [scan, requirements], status: "partial", marker: "~" },
    { name: "no phase [BUILD-AC-001-03]", list: [], status: "raw", marker: " " },
    { name: "five entries of one phase", list: [scan, scan, scan, scan, scan], status: "partial", marker: "~" },
    { name: "a value that is not a list", list: "00-quick-scan", status: "raw", marker: " " },
    { name: "implementation phases only", list: [...IMPLEMENTATION_PHASES], status: "raw", marker: " " },
  ])("is $status for $name, with the marker [$marker] [VERBS-MARKERS]", ({ list, status, marker }) => {
    expect(deriveAnalysisStatus(list)).toBe(status);
    expect(deriveBacklogMarker(status)).toBe(marker);
  });

  test("has the raw marker for an unknown status", () => {
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
  ])("requires fewer phases of a light item: $list with $sizing is $status", ({ list, sizing, status }) => {
    expect(deriveAnalysisStatus(list, sizing)).toBe(status);
    expect(computeStartPhase({ phases_completed: list, sizing_decision: sizing }, featurePhases).status).toBe(status);
  });
});

describe("computeStartPhase", () => {
  const start = (list: unknown, workflow: unknown = featurePhases) =>
    computeStartPhase({ phases_completed: list }, workflow);

  test("starts at the tests after a full analysis [BUILD-AC-001-01, BUILD-NFR-005]", () => {
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

  test("continues a partial analysis at the first missing phase [BUILD-AC-001-02, BUILD-NFR-005, BUILD-AC-003-03]", () => {
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
    ["an empty list [BUILD-AC-001-03]", { analysis_status: "raw", phases_completed: [] }],
    ["a missing meta file [BUILD-AC-001-04, BUILD-US-005-01, BUILD-NFR-003]", null],
    ["a status without completed phases", { analysis_status: "analyzed", phases_completed: [] }],
    ["a list", []],
    ["a text", "analyzed"],
  ])("returns raw and the whole workflow for %s", (_name, meta) => {
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

  test("ignores phases after a gap, with a warning [BUILD-AC-003-06, BUILD-ERR-003]", () => {
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

  test("returns raw with a warning if the phases are not a list", () => {
    expect(start("x")).toMatchObject({ status: "raw", warnings: [expect.stringContaining("not an array")] });
  });

  test("continues a light item at the tests without its dropped phases", () => {
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

  describe("start of the fix workflow", () => {
    test.each([
      { name: "a feature analysis", list: [...ANALYSIS_PHASES], startPhase: "02-tracing" },
      { name: "a partial feature analysis", list: [scan, requirements], startPhase: "02-tracing" },
      { name: "a quick scan", list: [scan], startPhase: "01-requirements" },
    ])("is $startPhase after $name", ({ list, startPhase }) => {
      expect(start(list, fixPhases)).toMatchObject({
        startPhase,
        remainingPhases: fixPhases.slice(fixPhases.indexOf(startPhase)),
      });
    });

    test("follows its own analysis phases if they are given", () => {
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

  test("is null if all phases are analysis phases and completed", () => {
    expect(start([...ANALYSIS_PHASES], [...ANALYSIS_PHASES])).toMatchObject({ startPhase: null, remainingPhases: [] });
  });

  test("is a phase of the workflow followed by the rest, for any input", () => {
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
