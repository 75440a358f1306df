import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { parseOverlay } from "../../src/adapters/project-files/parse-overlay.ts";
import { readOverlayFile } from "../../src/adapters/project-files/read-overlay.ts";
import { type Problem, ProblemError } from "../../src/core/problem.ts";

function problemOf(call: () => unknown): Problem | null {
  try {
    call();
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
}

const inRules = (rules: unknown): unknown => ({ workflows: { change: { rules: { plan: rules } } } });
const inserted = (phase: unknown, place: object = { before: "plan" }): unknown => ({
  workflows: { change: { insert: [{ ...place, phase }] } },
});
const PLAN = "workflows.change.rules.plan";
const INSERT = "workflows.change.insert[0]";

describe("syntax of an overlay", () => {
  test.for<[unknown, string, string, readonly string[]]>([
    [{ workflow: {} }, "", 'there is no "workflow" here', ["workflows", "personas"]],
    [[], "", "is not of type object", []],
    [null, "", "is not of type object", []],
    [{ workflows: { change: { delete: [] } } }, "workflows.change", "delete", ["insert", "replace", "remove", "rules"]],
    [inRules({ gates: "always" }), PLAN, "gates", ["gate", "minutes", "tests"]],
    [inRules({ gate: "never" }), `${PLAN}.gate`, '"never" is not one of', ["supervised", "always", "large"]],
    [inRules({ writes: "all" }), `${PLAN}.writes`, '"all"', ["item", "tests", "tree"]],
    [inRules({ whenLight: true }), `${PLAN}.whenLight`, "true", ["keep", "drop"]],
    [inRules({ after: ["lunch"] }), `${PLAN}.after[0]`, '"lunch"', ["sizing", "refinement"]],
    [inRules({ tests: "yes" }), `${PLAN}.tests`, '"yes" is not of type boolean', []],
    [inRules({ minutes: 0 }), `${PLAN}.minutes`, "0 is too little", []],
    [inRules({ minutes: 1.5 }), `${PLAN}.minutes`, "1.5 is not of type int", []],
    [inRules({ minutes: 100_000 }), `${PLAN}.minutes`, "1440", []],
    [inRules({ checks: { limits: 3 } }), `${PLAN}.checks`, "limits", ["limit", "breaker"]],
    [inRules({ checks: { limit: -1 } }), `${PLAN}.checks.limit`, "-1", []],
    [inRules({ articles: ["13"] }), `${PLAN}.articles[0]`, '"13" is not an article', ["I", "XXXIX"]],
    [inRules({ articles: ["IIII"] }), `${PLAN}.articles[0]`, "IIII", ["I"]],
    [inRules({ outputs: ["../evil.md"] }), `${PLAN}.outputs[0]`, "evil", ["names like report.md"]],
    [inRules({ inputs: [`${"please-".repeat(30)}.md`] }), `${PLAN}.inputs`, "please", ["names like report.md"]],
    [inRules({ persona: "../reviewer" }), `${PLAN}.persona`, "not usable as a name", []],
    [inRules({ key: "other" }), PLAN, "key", ["gate"]],
    [inserted({ key: "x", persona: "planner", mins: 3 }), `${INSERT}.phase`, "mins", ["key", "persona", "minutes"]],
    [inserted({ persona: "planner" }), `${INSERT}.phase.key`, "nothing is not of type string", []],
    [inserted({ key: "A b", persona: "planner" }), `${INSERT}.phase.key`, "not usable as a name", []],
    [inserted({ key: "x", persona: "planner" }, {}), INSERT, "before or after", ["before", "after"]],
    [inserted({ key: "x", persona: "planner" }, { before: "plan", after: "plan" }), INSERT, "before or after", []],
    [
      { workflows: { change: { insert: [{ at: 1, before: "plan", phase: { key: "x", persona: "planner" } }] } } },
      INSERT,
      "at",
      ["before", "after", "phase"],
    ],
    [
      { workflows: { change: { replace: [{ phase: "plan", by: {} }] } } },
      "workflows.change.replace[0].with",
      "is not of type object",
      [],
    ],
    [{ workflows: { "a/b": {} } }, "workflows.a/b", "not usable as a name", []],
    [{ personas: { reviewer: 3 } }, "personas.reviewer", "3 is not a prompt", ["a text"]],
    [{ personas: { reviewer: { prepend: "x" } } }, "personas.reviewer", "not a prompt", ["a text"]],
  ])("is refused with place and valid values: %j", ([value, place, detail, valid]) => {
    const problem = problemOf(() => parseOverlay(JSON.stringify(value), "workflows.json"));
    expect(problem).toMatchObject({ code: "OVERLAY_INVALID", file: "workflows.json", place });
    expect(problem).toMatchObject({
      detail: expect.stringContaining(detail),
      valid: expect.arrayContaining([...valid]),
    });
  });

  test.for([
    ['{"__proto__": {"workflows": {}}}', "__proto__"],
    ['{"workflows": {"__proto__": {"remove": ["plan"]}}}', "workflows.__proto__"],
    ['{"workflows": {"change": {"rules": {"constructor": {"gate": "always"}}}}}', "workflows.change.rules.constructor"],
    ['{"personas": {"prototype": "x"}}', "personas.prototype"],
  ] as const)("is refused with the reserved name %s", ([text, place]) => {
    expect(problemOf(() => parseOverlay(text, "f"))).toMatchObject({ place, detail: "this name is reserved" });
    expect(Object.hasOwn(Object.prototype, "workflows")).toBe(false);
  });

  test("is refused if it is not JSON", () => {
    expect(problemOf(() => parseOverlay("{", "f"))).toMatchObject({
      code: "OVERLAY_INVALID",
      detail: "it is not JSON",
    });
  });

  test("is accepted unchanged if it is valid", () => {
    const value = inRules({ gate: "always", checks: { limit: 2 }, articles: ["I", "XIV", "XXXIX"] });
    expect(parseOverlay(JSON.stringify(value), "f")).toEqual(value);
  });
});

describe("file of an overlay", () => {
  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), "isdlc-overlay-"));
    onTestFinished(() => rmSync(made, { recursive: true }));
    return made;
  }

  test("may be missing, like its folder", () => {
    const place = folder();
    expect(readOverlayFile(nodeFiles, place)).toBeNull();
    expect(readOverlayFile(nodeFiles, join(place, ".isdlc"))).toBeNull();
  });

  test("has a digest of exactly the parsed content", () => {
    const place = folder();
    writeFileSync(join(place, "workflows.json"), "{}");
    const found = readOverlayFile(nodeFiles, place);
    writeFileSync(join(place, "workflows.json"), '{"personas":{"reviewer":"x"}}');
    expect(found?.digest).toBe("overlay:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
    expect(found?.parse()).toEqual({});
    expect(readOverlayFile(nodeFiles, place)?.digest).not.toBe(found?.digest);
  });

  test("is refused through a link to the file or its folder", () => {
    const place = folder();
    writeFileSync(join(place, "elsewhere.json"), "{}");
    symlinkSync(join(place, "elsewhere.json"), join(place, "workflows.json"));
    expect(problemOf(() => readOverlayFile(nodeFiles, place))).toMatchObject({ code: "UNSAFE_PATH" });
    const real = folder();
    writeFileSync(join(real, "workflows.json"), "{}");
    symlinkSync(real, join(place, ".isdlc"));
    expect(problemOf(() => readOverlayFile(nodeFiles, join(place, ".isdlc")))).toMatchObject({ code: "UNSAFE_PATH" });
  });

  test("is refused if it is a folder or too large", () => {
    const place = folder();
    mkdirSync(join(place, "a", "workflows.json"), { recursive: true });
    expect(problemOf(() => readOverlayFile(nodeFiles, join(place, "a")))).toMatchObject({ code: "UNSAFE_PATH" });
    writeFileSync(join(place, "workflows.json"), " ".repeat(256 * 1024 + 1));
    expect(problemOf(() => readOverlayFile(nodeFiles, place))).toMatchObject({
      code: "OVERLAY_INVALID",
      detail: expect.stringContaining("256 kB"),
    });
  });
});
