import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SPEC_PHASES } from "../../src/core/spec/spec-phases.ts";
import { type SpecArtifacts, specTransition, validateTransition } from "../../src/core/spec/transition.ts";
import { Mode } from "../../src/schema/plan.ts";

const none: SpecArtifacts = { spec: false, design: false, plan: false, tasks: false };
const all: SpecArtifacts = { spec: true, design: true, plan: true, tasks: true };
const proceed = { allowed: true, type: "proceed", message: null };
const skips = (target: string, ...skipped: string[]) => ({
  allowed: true,
  type: "warning",
  message: `Skipped before ${target}: ${skipped.join(", ")}.`,
});
const NO_SPEC = "spec.md required before implementation. Run /specify first.";
const NO_PLAN = "plan.md required before task creation. Run /create-plan first.";

test("lists the phases in order [SPEC-R1.1]", () => {
  expect(SPEC_PHASES).toEqual([
    "brainstorm",
    "specify",
    "design",
    "create-plan",
    "create-tasks",
    "implement",
    "verify",
    "finish",
  ]);
});

describe("validateTransition", () => {
  test.for<[string, string | null, string, object]>([
    ["design after specify [SPEC-AC4]", "specify", "design", proceed],
    ["design after brainstorm [SPEC-AC5]", "brainstorm", "design", skips("design", "specify")],
    ["specify without brainstorm [SPEC-R1.4]", null, "specify", skips("specify", "brainstorm")],
    [
      "several skipped phases [SPEC-R1.4]",
      "design",
      "verify",
      skips("verify", "create-plan", "create-tasks", "implement"),
    ],
    ["finish without verify [SPEC-R1.4]", "implement", "finish", skips("finish", "verify")],
    ["the first phase", null, "brainstorm", proceed],
    ["an earlier phase", "implement", "specify", proceed],
    ["the same phase", "design", "design", proceed],
    ["the last phase", "verify", "finish", proceed],
    ["an unknown current phase", "dreaming", "specify", skips("specify", "brainstorm")],
  ])("rates %s [SPEC-R1.2]", ([, current, target, expected]) => {
    expect(validateTransition(current, target, all)).toEqual(expected);
  });

  test.for<[string, SpecArtifacts]>([
    ["create-tasks", none],
    ["create-tasks", { ...all, spec: false }],
    ["brainstorm", { ...all, spec: false }],
    ["verify", { ...all, spec: false }],
  ])("blocks from %s to implement without spec.md [SPEC-AC6, SPEC-R1.3]", ([current, artifacts]) => {
    expect(validateTransition(current, "implement", artifacts)).toEqual({
      allowed: false,
      type: "blocked",
      message: NO_SPEC,
    });
  });

  test.for(["design", "create-plan", "implement", null])(
    "blocks from %s to create-tasks without plan.md [SPEC-AC7, SPEC-R1.3]",
    (current) => {
      expect(validateTransition(current, "create-tasks", { ...all, plan: false })).toEqual({
        allowed: false,
        type: "blocked",
        message: NO_PLAN,
      });
    },
  );

  test.for([undefined, null, "yes", 5, [], { spec: "true", plan: 1 }, Object.create({ spec: true, plan: true })])(
    "treats unconfirmed artifacts as missing: %o",
    (odd) => {
      expect(validateTransition("create-plan", "create-tasks", odd as SpecArtifacts).message).toBe(NO_PLAN);
      expect(validateTransition("create-tasks", "implement", odd as SpecArtifacts).message).toBe(NO_SPEC);
    },
  );

  test.for([undefined, null, 5, "", "Design", "__proto__", "constructor", "release"])("blocks the target %o", (odd) => {
    expect(validateTransition("specify", odd as string, all)).toMatchObject({ allowed: false, type: "blocked" });
  });

  const phase = fc.constantFrom(...SPEC_PHASES);
  const artifacts = fc.record({ spec: fc.boolean(), design: fc.boolean(), plan: fc.boolean(), tasks: fc.boolean() });
  const question = fc.tuple(fc.option(phase), phase, artifacts);

  test("blocks only for the two documents, and always explains warnings and blocks [SPEC-R1.4]", () => {
    fc.assert(
      fc.property(question, ([current, target, given]) => {
        const { allowed, type, message } = validateTransition(current, target, given);
        const isHard = (target === "implement" && !given.spec) || (target === "create-tasks" && !given.plan);
        expect([allowed, type === "blocked"]).toEqual([!isHard, isHard]);
        expect(message === null).toBe(type === "proceed");
      }),
    );
  });

  test("reaches all three answers with random questions", () => {
    const types = fc.sample(question, { seed: 1, numRuns: 300 }).map((asked) => validateTransition(...asked).type);
    expect(new Set(types)).toEqual(new Set(["proceed", "warning", "blocked"]));
  });
});

describe("transition in a mode", () => {
  const going = (current: string | null, target: string, mode: Mode) =>
    specTransition({ current, target, artifacts: none, mode });

  test.for(["quick", "standard", "full"] as const)("blocks implement without spec.md in %s [SPEC-AC6]", (mode) => {
    expect(going("create-tasks", "implement", mode)).toEqual({
      allowed: false,
      type: "blocked",
      message: NO_SPEC,
      skipped: [],
      missing: "spec.md",
    });
  });

  test("lets a hotfix implement directly with a warning [SPEC-AC2]", () => {
    expect(going(null, "implement", "hotfix")).toEqual({
      allowed: true,
      type: "warning",
      message:
        "spec.md is missing; a hotfix continues without it. Skipped before implement: brainstorm, specify, design, create-plan, create-tasks.",
      skipped: ["brainstorm", "specify", "design", "create-plan", "create-tasks"],
      missing: "spec.md",
    });
    expect(going("create-tasks", "implement", "hotfix")).toMatchObject({
      type: "warning",
      message: "spec.md is missing; a hotfix continues without it.",
      skipped: [],
    });
  });

  test.for(Mode.options)("blocks tasks without plan.md in %s [SPEC-AC7]", (mode) => {
    expect(going("create-plan", "create-tasks", mode)).toMatchObject({
      type: "blocked",
      message: NO_PLAN,
      missing: "plan.md",
    });
  });
});
