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
    ["SM-AC-01a: enabled true switches review on", { enabled: true }, on],
    ["SM-AC-01b: enabled false is autonomous", { enabled: false }, off],
    ["SM-AC-01c: an absent block is autonomous", undefined, off],
    ["SM-ERR-100: a missing block is autonomous", undefined, off],
    ["SM-ERR-101: a list instead of a block is autonomous", [true], off],
    ["SM-ERR-101: a text instead of a block is autonomous", "enabled", off],
    ["SM-ERR-101: null instead of a block is autonomous", null, off],
    ["SM-ERR-102: the text true does not switch on", { enabled: "true" }, off],
    ["SM-ERR-102: the number 1 does not switch on", { enabled: 1 }, off],
    ["SM-ERR-103: review_phases of a wrong type means all", { enabled: true, review_phases: 3 }, on],
    ["SM-ERR-103: review_phases null means all", { enabled: true, review_phases: null }, on],
    ["SM-ERR-103: another word than all means all", { enabled: true, review_phases: "some" }, on],
    [
      "SM-ERR-104: invalid entries are dropped, valid ones stay",
      { enabled: true, review_phases: ["03", 6, "6", "006", "x3", "03\n", null, ["04"], "06"] },
      { ...on, review_phases: ["03", "06"] },
    ],
    ["SM-ERR-104: only invalid entries mean all", { enabled: true, review_phases: ["3", 6, {}] }, on],
    ["SM-ERR-104: an empty list means all", { enabled: true, review_phases: [] }, on],
    ["SM-ERR-105: parallel_summary of a wrong type means full", { enabled: true, parallel_summary: "no" }, on],
    ["SM-ERR-106: a timeout is ignored", { enabled: true, auto_advance_timeout: 30 }, on],
    ["SM-AC-01g: parallel_summary true asks for full summaries", { enabled: true, parallel_summary: true }, on],
    [
      "SM-AC-01h: parallel_summary false keeps review on and asks for minimal summaries",
      { enabled: true, parallel_summary: false },
      { ...on, parallel_summary: false },
    ],
  ])("%s", (_name, block, expected) => {
    expect(read(block)).toEqual(expected);
  });

  test.each([
    ["the block", '{"__proto__":{"supervised_mode":{"enabled":true}}}'],
    ["the flag", '{"supervised_mode":{"__proto__":{"enabled":true}}}'],
  ])("SM-NFR-02: an inherited value is not read (%s)", (_where, json) => {
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
  ])("SM-NFR-02: %s neither throws nor switches on", (_name, state) => {
    expect(readSupervisedModeConfig(state)).toEqual(off);
    expect(supervisionWarnings(state)).toBeInstanceOf(Array);
  });
});

describe("any value at all", () => {
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

  test("SM-NFR-02: reading never throws and always gives a whole configuration", () => {
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

  test("SM-NFR-02: shouldReviewPhase takes anything for a configuration and a phase", () => {
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
    ["SM-AC-01d: all reviews every phase", on, "16-quality-loop", true],
    ["SM-AC-01e: a listed number is reviewed", listed, "03-architecture", true],
    ["SM-AC-01e: a number that is not listed is not reviewed", listed, "04-design", false],
    ["SM-AC-01f: invalid entries beside it change nothing", listed, "03-architecture", true],
    ["SM-AC-01b: nothing is reviewed when disabled", off, "03-architecture", false],
    ["the text before the first hyphen is compared, not a prefix", listed, "031-x", false],
    ["a bare number is its own text before the hyphen", listed, "03", true],
    ["an empty phase is none, though all are reviewed", on, "", false],
  ])("%s", (...[, config, phase, expected]) => {
    expect(shouldReviewPhase(config, phase)).toBe(expected);
  });
});

describe("supervisionWarnings", () => {
  test.each<[string, unknown, readonly RegExp[]]>([
    ["nothing to say about a missing file", undefined, []],
    ["nothing to say about a missing block", {}, []],
    ["nothing to say about a good block", { supervised_mode: { ...on, review_phases: ["03", "create-plan"] } }, []],
    [
      "SM-AC-01f: a bad entry beside a good one is dropped without noise",
      { supervised_mode: { review_phases: ["3", "03"] } },
      [],
    ],
    ["SM-ERR-101: a block that is no object is told", { supervised_mode: [] }, [/not an object.*off/]],
    ["SM-ERR-102: a flag that is no boolean is told", { supervised_mode: { enabled: "yes" } }, [/enabled.*off/]],
    ["SM-ERR-105: a wrong parallel_summary is told", { supervised_mode: { parallel_summary: 0 } }, [/full summaries/]],
    ["a state that is no object is told", "[]", [/no object.*off/]],
  ])("%s", (_name, state, expected) => {
    const warnings = supervisionWarnings(state);
    expect(warnings).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(warnings[index]).toMatch(pattern);
  });
});

describe("review_phases in a workflow", () => {
  const spec = { name: "spec", phases: ["specify", "design", "implement"] };
  const fix = { name: "fix", phases: ["01-requirements", "02-tracing", "06-implementation"] };
  const stateOf = (phases: unknown) => ({ supervised_mode: { enabled: true, review_phases: phases } });
  const told = (phases: unknown, workflow: typeof fix) => reviewPhasesWarnings(stateOf(phases), workflow);
  const held = (phases: unknown, workflow: typeof fix) => readingFor(readSettings(stateOf(phases)), workflow.phases);

  test.each<[string, unknown, typeof fix, unknown, RegExp | null]>([
    ["all is all", "all", fix, "all", null],
    ["SM-AC-01e: numbers that it has", ["02", "06"], fix, ["02", "06"], null],
    ["full keys that it has", ["design"], spec, ["design"], null],
    [
      "SM-AC-01f: an entry it does not have is told by name",
      ["03", "06"],
      fix,
      ["06"],
      /names "03", which the workflow "fix" does not have.*\(it has 01, 02, 06\)/,
    ],
    [
      "SM-AC-01f: an entry that is no phase at all is told by name",
      [6, "6", null, "06"],
      fix,
      ["06"],
      /names 6, "6", a null, which/,
    ],
    ["SM-ERR-104: none left means every phase", ["33"], fix, "all", /names "33".*every phase is reviewed/],
    [
      "SM-ERR-104: numbers mean every phase where phases have none",
      ["03", "06"],
      spec,
      "all",
      /names "03", "06".*"spec".*every phase/,
    ],
    ["SM-ERR-104: an empty list", [], fix, "all", /every phase/],
    ["SM-ERR-103: a wrong type", 3, fix, "all", /every phase/],
  ])("%s", (...[, phases, workflow, reviewed, warning]) => {
    expect(held(phases, workflow)).toMatchObject({ enabled: true, phases: reviewed });
    expect(told(phases, workflow)).toEqual(warning === null ? [] : [expect.stringMatching(warning)]);
  });

  test("SM-NFR-02: no list makes telling it fail", () => {
    fc.assert(fc.property(fc.anything(), (phases) => void told(phases, fix)));
  });
});
