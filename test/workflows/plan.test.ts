import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { loadWorkflow, personaDigests } from "../../src/adapters/project-files/definitions.ts";
import { artifactPath, resolveInputs, mayWrite, resolvePlan, toSlug } from "../../src/core/plan.ts";
import type { Mode, Writes } from "../../src/schema/plan.ts";
import { PhaseRule } from "../../src/schema/plan.ts";

const ITEM = "docs/requirements/REQ-0001-login";
const planOf = (name: string, mode: Mode = "standard") => {
  const definition = loadWorkflow(name);
  return resolvePlan(definition, { mode, personaDigests: personaDigests(definition) });
};

describe("plan", () => {
  test.for<[Mode, number]>([
    ["hotfix", 1],
    ["quick", 2],
    ["standard", 3],
    ["full", 5],
  ])("has in mode %s %i verdicts in reviewed phases, none in others [SPEC-R2.6]", ([mode, verdicts]) => {
    const plan = planOf("feature", mode);
    const given = Object.fromEntries(plan.map((rule) => [rule.key, rule.verdicts]));
    expect(given).toMatchObject({ "00-quick-scan": 0, "03-architecture": verdicts, "08-code-review": 0 });
  });

  test("is valid and has the digest of each persona", () => {
    const plan = planOf("fix");
    for (const rule of plan) expect(PhaseRule.parse(rule)).toEqual(rule);
    expect(plan.every((rule) => /^[0-9a-f]{64}$/.test(rule.personaDigest))).toBe(true);
  });

  test("is refused without the digest of a persona", () => {
    expect(() => resolvePlan(loadWorkflow("fix"), { mode: "quick", personaDigests: {} })).toThrow(
      "requirements-analyst",
    );
  });
});

describe("inputs of a phase", () => {
  const feature = planOf("feature");
  const light = feature.filter((rule) => rule.whenLight === "keep");
  const midway = feature.slice(feature.findIndex((rule) => rule.key === "05-test-strategy"));
  const names = (plan: typeof feature, key: string): string[] =>
    resolveInputs(
      plan,
      plan.findIndex((rule) => rule.key === key),
      ITEM,
    ).map((path) => path.slice(ITEM.length + 1));

  test.for([
    ["the first phase", feature, "00-quick-scan", []],
    ["a whole plan", feature, "04-design", ["requirements-spec.md", "impact-analysis.md", "architecture-overview.md"]],
    ["a light plan", light, "05-test-strategy", ["requirements-spec.md", "impact-analysis.md"]],
    [
      "a later phase of a light plan",
      light,
      "06-implementation",
      ["requirements-spec.md", "impact-analysis.md", "test-strategy.md"],
    ],
    [
      "a plan that starts midway [BUILD-US-001-02]",
      midway,
      "05-test-strategy",
      ["requirements-spec.md", "impact-analysis.md", "architecture-overview.md", "module-design.md"],
    ],
    [
      "a later phase of a plan that starts midway",
      midway,
      "16-quality-loop",
      ["requirements-spec.md", "test-strategy.md"],
    ],
  ] as const)("are listed for %s", ([, plan, key, expected]) => {
    expect(names([...plan], key)).toEqual(expected);
  });

  test("are paths in the item's folder, and empty after the last phase", () => {
    expect(resolveInputs(feature, 1, ITEM)).toEqual([artifactPath(ITEM, "quick-scan.md")]);
    expect(resolveInputs(feature, 99, ITEM)).toEqual([]);
  });
});

describe("writes allowed in a phase", () => {
  const PRIVATE = ".isdlc/work/run";
  test.for<[string, { item?: boolean; tests?: boolean; tree?: boolean }]>([
    [`${ITEM}/plan.md`, { item: true, tests: true, tree: true }],
    [`${ITEM}/deep/er.md`, { item: true, tests: true, tree: true }],
    [`${PRIVATE}/plan.md`, {}],
    ["test/login.test.ts", { tests: true, tree: true }],
    ["src/__tests__/login.ts", { tests: true, tree: true }],
    ["src/login.spec.ts", { tests: true, tree: true }],
    ["pkg/login_test.go", { tests: true, tree: true }],
    ["app/test_login.py", { tests: true, tree: true }],
    ["src/java/LoginTest.java", { tests: true, tree: true }],
    ["src/login.ts", { tree: true }],
    ["src/latest.ts", { tree: true }],
    ["contest/rules.md", { tree: true }],
    ["docs/requirements/REQ-0001-login-2/plan.md", { tree: true }],
    [".gitignore", { tree: true }],
    [".github/workflows/ci.yml", { tree: true }],
    [ITEM, { tree: true }],
    [".git/config", {}],
    [".GIT/hooks/pre-commit", {}],
    ["vendor/.git/config", {}],
    [".git./config", {}],
    [".isdlc/state.json", {}],
    [".Isdlc\\state.json", {}],
    [".isdlc", {}],
    [`${ITEM}/.git/config`, {}],
    [`${ITEM}/../../../src/a.ts`, {}],
    ["../outside.ts", {}],
    ["/etc/passwd", {}],
    ["C:\\x", {}],
    ["test//a.ts", {}],
    ["./test/a.ts", {}],
    ["", {}],
  ])("are limited for %s to %o", ([path, expected]) => {
    const may = (writes: Writes) => mayWrite({ writes }, ITEM, path);
    const { item = false, tests = false, tree = false } = expected;
    expect({ item: may("item"), tests: may("tests"), tree: may("tree") }).toEqual({ item, tests, tree });
  });

  test("include the run's private folder if it is the item, but no sibling", () => {
    for (const writes of ["item", "tree"] as const) {
      expect(mayWrite({ writes }, PRIVATE, `${PRIVATE}/plan.md`)).toBe(true);
      expect(mayWrite({ writes }, PRIVATE, `${PRIVATE}2/plan.md`)).toBe(false);
      expect(mayWrite({ writes }, PRIVATE, ".isdlc/journal/run.jsonl")).toBe(false);
    }
  });
});

describe("toSlug", () => {
  test.for([
    ["Add login page", "add-login-page"],
    ["  Fix:  the -- thing!  ", "fix-the-thing"],
    ["Größe ändern, Straße", "grosse-andern-strasse"],
    ["Żółć łódź", "zolc-lodz"],
    ["Œuvre Ærø þing", "oeuvre-aero-thing"],
    ["ﬁle ２０２６", "file-2026"],
    ["日本語", "untitled-item"],
    ["", "untitled-item"],
    ["--- !!! ---", "untitled-item"],
    ["../../etc/passwd", "etcpasswd"],
    ["a\tb\nc", "a-b-c"],
    [`${"a".repeat(49)} b`, "a".repeat(49)],
    ["b".repeat(80), "b".repeat(50)],
  ] as const)("converts %j to %s", ([title, slug]) => {
    expect(toSlug(title)).toBe(slug);
  });

  const title = fc.oneof(
    fc.string({ unit: "binary", maxLength: 120 }),
    fc.string({ unit: fc.constantFrom("a", "é", "ß", " ", "-", "7", "/", "."), maxLength: 120, size: "max" }),
  );

  test("always returns a stable safe name of at most 50 characters", () => {
    fc.assert(
      fc.property(title, (text) => {
        const slug = toSlug(text);
        expect(slug).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
        expect(slug.length).toBeLessThanOrEqual(50);
        expect(toSlug(slug)).toBe(slug);
      }),
    );
  });

  test("is tested with titles cut at a hyphen", () => {
    const cut = fc.sample(title, { seed: 1, numRuns: 500 }).filter((text) => toSlug(text).length === 49);
    expect(cut.length).toBeGreaterThan(3);
  });
});
