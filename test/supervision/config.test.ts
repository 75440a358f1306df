import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  readingFor,
  readSettings,
  readSupervisedModeConfig,
  reviewPhasesWarnings,
  shouldReviewPhase,
  supervisionWarnings,
} from "../../src/core/supervision.ts";

const off = { enabled: false, review_phases: "all", parallel_summary: true, auto_advance_timeout: null };
const on = { ...off, enabled: true };
const read = (block: unknown) => readSupervisedModeConfig({ supervised_mode: block });
const parsed = (json: string): unknown => JSON.parse(json);

describe("readSupervisedModeConfig", () => {
  test.each<[string, unknown, object]>([
    ["enables review with enabled true [SM-AC-01a]", { enabled: true }, on],
    ["disables review with enabled false [SM-AC-01b]", { enabled: false }, off],
    ["disables review without a block [SM-AC-01c]", undefined, off],
    ["disables review with an undefined block [SM-ERR-100]", undefined, off],
    ["disables review for a list instead of a block [SM-ERR-101]", [true], off],
    ["disables review for text instead of a block [SM-ERR-101]", "enabled", off],
    ["disables review for null instead of a block [SM-ERR-101]", null, off],
    ["disables review for the text true [SM-ERR-102]", { enabled: "true" }, off],
    ["disables review for the number 1 [SM-ERR-102]", { enabled: 1 }, off],
    ["reads review_phases of a wrong type as all [SM-ERR-103]", { enabled: true, review_phases: 3 }, on],
    ["reads review_phases null as all [SM-ERR-103]", { enabled: true, review_phases: null }, on],
    ["reads any other word as all [SM-ERR-103]", { enabled: true, review_phases: "some" }, on],
    [
      "drops invalid entries and keeps valid ones [SM-ERR-104]",
      { enabled: true, review_phases: ["03", 6, "6", "006", "x3", "03\n", null, ["04"], "06"] },
      { ...on, review_phases: ["03", "06"] },
    ],
    ["reads only invalid entries as all [SM-ERR-104]", { enabled: true, review_phases: ["3", 6, {}] }, on],
    ["reads an empty list as all [SM-ERR-104]", { enabled: true, review_phases: [] }, on],
    ["reads parallel_summary of a wrong type as full [SM-ERR-105]", { enabled: true, parallel_summary: "no" }, on],
    ["ignores a timeout [SM-ERR-106]", { enabled: true, auto_advance_timeout: 30 }, on],
    ["requests full summaries with parallel_summary true [SM-AC-01g]", { enabled: true, parallel_summary: true }, on],
    [
      "requests minimal summaries with parallel_summary false [SM-AC-01h]",
      { enabled: true, parallel_summary: false },
      { ...on, parallel_summary: false },
    ],
  ])("%s", (_name, block, expected) => {
    expect(read(block)).toEqual(expected);
  });

  test.each([
    ["in the block", '{"__proto__":{"supervised_mode":{"enabled":true}}}'],
    ["in the flag", '{"supervised_mode":{"__proto__":{"enabled":true}}}'],
  ])("ignores an inherited value %s [SM-NFR-02]", (_where, json) => {
    const state = parsed(json) as object;
    expect(readSupervisedModeConfig(state)).toEqual(off);
    expect(readSupervisedModeConfig(Object.assign(Object.create({ supervised_mode: { enabled: true } }), {}))).toEqual(
      off,
    );
    expect(({} as { enabled?: unknown }).enabled).toBeUndefined();
  });

  const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  const throwing = {
    get enabled(): boolean {
      throw new Error("read");
    },
  };
  test.each<[string, unknown]>([
    ["a revoked proxy", revoked()],
    ["a block that is a revoked proxy", { supervised_mode: revoked() }],
    ["phases that are a revoked proxy", { supervised_mode: { review_phases: revoked() } }],
    ["a getter that throws", { supervised_mode: throwing }],
    ["a list with holes", { supervised_mode: { review_phases: Array(3) } }],
  ])("neither throws nor enables review for %s [SM-NFR-02]", (_name, state) => {
    expect(readSupervisedModeConfig(state)).toEqual(off);
    expect(supervisionWarnings(state)).toBeInstanceOf(Array);
  });
});

describe("random settings", () => {
  const nastyKey = fc.constantFrom("enabled", "review_phases", "parallel_summary", "auto_advance_timeout", "__proto__");
  const nastyValue = fc.oneof(
    fc.anything(),
    fc.constantFrom<unknown>(
      true,
      false,
      "all",
      [],
      ["03"],
      ["03", 3],
      "true",
      Number.POSITIVE_INFINITY,
      "\u0000",
      parsed("[[[[]]]]"),
    ),
  );
  const state = fc.oneof(
    fc.anything(),
    fc.json().map(parsed),
    fc.dictionary(nastyKey, nastyValue).map((block) => ({ supervised_mode: block })),
    nastyValue.map((block) => ({ supervised_mode: block })),
  );

  test("always yield a complete configuration [SM-NFR-02]", () => {
    const reached = { on: 0, listed: 0, minimal: 0, warned: 0 };
    fc.assert(
      fc.property(state, (value) => {
        const config = readSupervisedModeConfig(value);
        expect(Object.keys(config)).toEqual(Object.keys(off));
        expect(typeof config.enabled).toBe("boolean");
        expect(typeof config.parallel_summary).toBe("boolean");
        expect(config.auto_advance_timeout).toBeNull();
        const { review_phases: phases } = config;
        expect(phases === "all" || (phases.length > 0 && phases.every((entry) => /^\d\d$/.test(entry)))).toBe(true);
        expect(typeof shouldReviewPhase(config, "03-architecture")).toBe("boolean");
        reached.on += Number(config.enabled);
        reached.listed += Number(phases !== "all");
        reached.minimal += Number(!config.parallel_summary);
        reached.warned += Number(supervisionWarnings(value).length > 0);
      }),
      { numRuns: 4000 },
    );
    expect(Math.min(...Object.values(reached)), JSON.stringify(reached)).toBeGreaterThan(10);
  });

  test("never make shouldReviewPhase throw [SM-NFR-02]", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (config, phase) => {
        expect(typeof shouldReviewPhase(config, phase)).toBe("boolean");
      }),
    );
  });
});

describe("shouldReviewPhase", () => {
  const listed = readSupervisedModeConfig({ supervised_mode: { enabled: true, review_phases: ["03", "99", "x"] } });
  test.each<[string, object, string, boolean]>([
    ["reviews every phase with all [SM-AC-01d]", on, "16-quality-loop", true],
    ["reviews a listed number [SM-AC-01e]", listed, "03-architecture", true],
    ["skips an unlisted number [SM-AC-01e]", listed, "04-design", false],
    ["ignores invalid entries in the list [SM-AC-01f]", listed, "03-architecture", true],
    ["skips every phase when disabled [SM-AC-01b]", off, "03-architecture", false],
    ["compares the text before the first hyphen, not a prefix", listed, "031-x", false],
    ["accepts a bare number", listed, "03", true],
    ["skips an empty phase", on, "", false],
  ])("%s", (...[, config, phase, expected]) => {
    expect(shouldReviewPhase(config, phase)).toBe(expected);
  });
});

describe("supervisionWarnings", () => {
  test.each<[string, unknown, readonly RegExp[]]>([
    ["returns no warning for a missing file", undefined, []],
    ["returns no warning for a missing block", {}, []],
    ["returns no warning for a valid block", { supervised_mode: { ...on, review_phases: ["03", "create-plan"] } }, []],
    [
      "returns no warning for an invalid entry next to a valid one [SM-AC-01f]",
      { supervised_mode: { review_phases: ["3", "03"] } },
      [],
    ],
    ["warns about a block that is not an object [SM-ERR-101]", { supervised_mode: [] }, [/not an object.*off/]],
    [
      "warns about a flag that is not a boolean [SM-ERR-102]",
      { supervised_mode: { enabled: "yes" } },
      [/enabled.*off/],
    ],
    [
      "warns about a wrong parallel_summary [SM-ERR-105]",
      { supervised_mode: { parallel_summary: 0 } },
      [/full summaries/],
    ],
    ["warns about a state that is not an object", "[]", [/no object.*off/]],
  ])("%s", (_name, state, expected) => {
    const warnings = supervisionWarnings(state);
    expect(warnings).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(warnings[index]).toMatch(pattern);
  });
});

describe("review_phases of a workflow", () => {
  const spec = { name: "spec", phases: ["specify", "design", "implement"] };
  const fix = { name: "fix", phases: ["01-requirements", "02-tracing", "06-implementation"] };
  const stateOf = (phases: unknown) => ({ supervised_mode: { enabled: true, review_phases: phases } });
  const told = (phases: unknown, workflow: typeof fix) => reviewPhasesWarnings(stateOf(phases), workflow);
  const held = (phases: unknown, workflow: typeof fix) => readingFor(readSettings(stateOf(phases)), workflow.phases);

  test.each<[string, unknown, typeof fix, unknown, RegExp | null]>([
    ["accept all", "all", fix, "all", null],
    ["accept numbers of the workflow [SM-AC-01e]", ["02", "06"], fix, ["02", "06"], null],
    ["accept full keys of the workflow", ["design"], spec, ["design"], null],
    [
      "name an unknown entry in a warning [SM-AC-01f]",
      ["03", "06"],
      fix,
      ["06"],
      /names "03", which the workflow "fix" does not have.*\(it has 01, 02, 06\)/,
    ],
    [
      "name an entry that is not a phase in a warning [SM-AC-01f]",
      [6, "6", null, "06"],
      fix,
      ["06"],
      /names 6, "6", a null, which/,
    ],
    ["mean every phase if no entry is valid [SM-ERR-104]", ["33"], fix, "all", /names "33".*every phase is reviewed/],
    [
      "mean every phase for numbers in a workflow without numbers [SM-ERR-104]",
      ["03", "06"],
      spec,
      "all",
      /names "03", "06".*"spec".*every phase/,
    ],
    ["mean every phase for an empty list [SM-ERR-104]", [], fix, "all", /every phase/],
    ["mean every phase for a wrong type [SM-ERR-103]", 3, fix, "all", /every phase/],
  ])("%s", (...[, phases, workflow, reviewed, warning]) => {
    expect(held(phases, workflow)).toMatchObject({ enabled: true, phases: reviewed });
    expect(told(phases, workflow)).toEqual(warning === null ? [] : [expect.stringMatching(warning)]);
  });

  test("cause no exception for any list [SM-NFR-02]", () => {
    fc.assert(fc.property(fc.anything(), (phases) => void told(phases, fix)));
  });
});
