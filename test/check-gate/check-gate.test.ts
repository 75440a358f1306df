import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkGate, type GateRules } from "../../src/core/check-gate.ts";

const phase = "06-implementation";
const rules: GateRules = {
  tests: true,
  artifacts: ["implementation-notes.md"],
  delegation: true,
  questions: true,
  findings: true,
};

const record = {
  status: "completed",
  artifacts: ["docs/requirements/REQ-0001-x/implementation-notes.md"],
  iteration_requirements: {
    test_iteration: { completed: true, status: "success" },
    interactive_elicitation: { completed: true },
  } as Record<string, unknown>,
  constitutional_validation: { completed: true, status: "compliant" } as Record<string, unknown>,
};

const workflow = { phases: ["05-test-strategy", phase], current_phase: phase, current_phase_index: 1 };

const stateWith = (changes: { record?: object; workflow?: object; rest?: object } = {}) => ({
  active_workflow: { ...workflow, ...changes.workflow },
  phases: { [phase]: { ...record, ...changes.record } },
  ...changes.rest,
});

const supervised = { supervised_mode: { enabled: true, review_phases: "all" } };
const note = `[INFO] gate-blocker: supervised review in progress for phase '${phase}'. Gate check unaffected.`;

describe("requirements of the gate", () => {
  test("allow a complete supervised phase and leave the advance to the review gate [SM-AC-06a]", () => {
    const state = stateWith({ rest: supervised, workflow: { supervised_review: { phase, status: "gate_presented" } } });
    const before = structuredClone(state);
    expect(checkGate(state, phase, rules)).toEqual({ decision: "allow", notes: [] });
    expect(state).toEqual(before);
  });

  test.each<[string, object, RegExp]>([
    ["failed tests", { iteration_requirements: { test_iteration: { completed: true, status: "failed" } } }, /tests/],
    [
      "tests that could not run",
      { iteration_requirements: { test_iteration: { completed: true, status: "not_measured" } } },
      /tests/,
    ],
    ["tests never run", { iteration_requirements: {} }, /tests/],
    ["an invalid list of artifacts", { artifacts: "implementation-notes.md" }, /implementation-notes\.md/],
    [
      "an artifact whose name only ends alike",
      { artifacts: ["docs/no-implementation-notes.md"] },
      /implementation-notes\.md/,
    ],
    ["open findings", { constitutional_validation: { completed: true, status: "escalated" } }, /[Ff]indings/],
    [
      "unanswered questions",
      {
        iteration_requirements: {
          test_iteration: { completed: true, status: "success" },
          interactive_elicitation: { completed: "yes" },
        },
      },
      /[Qq]uestions/,
    ],
    ["a phase that never started", { status: "pending" }, /not started/],
  ])("block with %s, supervised or not [SM-AC-06b]", (_name, changed, reason) => {
    const plain = checkGate(stateWith({ record: changed }), phase, rules);
    expect(plain.decision).toBe("block");
    expect(plain.stopReason).toMatch(reason);
    expect(checkGate(stateWith({ record: changed, rest: supervised }), phase, rules)).toEqual(plain);
  });

  test("allow findings accepted by the user", () => {
    const agreed = { constitutional_validation: { completed: true, status: "escalated", escalation_approved: true } };
    expect(checkGate(stateWith({ record: agreed }), phase, rules).decision).toBe("allow");
  });

  test("are checked only if they are named", () => {
    expect(checkGate(stateWith({ record: { artifacts: [], iteration_requirements: null } }), phase, {}).decision).toBe(
      "allow",
    );
    expect(checkGate(stateWith({ record: { artifacts: [] } }), phase, { artifacts: true }).decision).toBe("block");
  });

  test("report measurements without a command and block failed ones", () => {
    const verdict = checkGate(stateWith(), phase, { ...rules, measurements: { coverage: false, lint: true } });
    expect(verdict).toEqual({
      decision: "block",
      stopReason: "lint did not pass.",
      notes: ["[INFO] gate-blocker: coverage is not measured."],
    });
    const passed = { ...record.iteration_requirements, lint: { ok: true } };
    const state = stateWith({ record: { iteration_requirements: passed } });
    expect(checkGate(state, phase, { ...rules, measurements: { lint: true } }).decision).toBe("allow");
  });
});

describe("gate during a review", () => {
  test.each<[string, object, "allow" | "block"]>([
    ["met", record, "allow"],
    ["not met", { ...record, artifacts: [] }, "block"],
  ])("adds a note with requirements that are %s [SM-ERR-601]", (_name, changed, decision) => {
    const state = stateWith({ record: changed, workflow: { supervised_review: { phase, status: "reviewing" } } });
    expect(checkGate(state, phase, rules)).toMatchObject({ decision, notes: [note] });
  });

  test("omits an invalid phase name from the note", () => {
    const state = stateWith({ workflow: { supervised_review: { phase: "\u001b[2Jx", status: "reviewing" } } });
    expect(checkGate(state, phase, rules).notes).toEqual([note]);
  });

  test("ignores any supervised_mode settings [SM-AC-06c, SM-ERR-600]", () => {
    const allowed = checkGate(stateWith(), phase, rules);
    const blocked = checkGate(stateWith({ record: { artifacts: [] } }), phase, rules);
    expect([allowed.decision, blocked.decision]).toEqual(["allow", "block"]);
    fc.assert(
      fc.property(fc.anything(), (block) => {
        const rest = { supervised_mode: block };
        expect(checkGate(stateWith({ rest }), phase, rules)).toEqual(allowed);
        expect(checkGate(stateWith({ rest, record: { artifacts: [] } }), phase, rules)).toEqual(blocked);
      }),
    );
  });
});

describe("invalid state", () => {
  test.each<[string, unknown]>([
    ["undefined state", undefined],
    ["null", null],
    ["a list", []],
    ["a text", "{"],
    ["a workflow of text", { active_workflow: "feature" }],
    ["a workflow that is a list", { active_workflow: [] }],
    ["phases that are not a list", stateWith({ workflow: { phases: null } })],
    ["a phase of another workflow", stateWith({ workflow: { phases: ["05-test-strategy"] } })],
    ["a different current phase", stateWith({ workflow: { current_phase: "05-test-strategy" } })],
    ["an index of another phase", stateWith({ workflow: { current_phase_index: 0 } })],
    ["an index that is not a number", stateWith({ workflow: { current_phase_index: {} } })],
    ["a missing record of the phase", { active_workflow: workflow, phases: {} }],
    ["an inherited record", { active_workflow: workflow, phases: Object.create({ [phase]: record }) as object }],
  ])("blocks with a reason: %s", (_name, state) => {
    const verdict = checkGate(state, phase, rules);
    expect(verdict.decision).toBe("block");
    expect(verdict.stopReason).toMatch(/\w/);
  });

  test.each<[unknown]>([[{}], [{ active_workflow: null }], [{ phases: {} }]])(
    "allows the phase without an active workflow: %j",
    (state) => {
      expect(checkGate(state, phase, rules)).toEqual({ decision: "allow", notes: [] });
    },
  );

  test("never throws, and never allows a damaged workflow", () => {
    const damaged = fc.oneof(
      fc.anything(),
      fc.record({ active_workflow: fc.anything(), phases: fc.anything() }),
      fc.anything().map((value) => ({ ...stateWith(), phases: { [phase]: value } })),
    );
    let blocked = 0;
    fc.assert(
      fc.property(damaged, fc.anything(), (state, anyRules) => {
        const verdict = checkGate(state, phase, rules);
        const open =
          typeof state === "object" && state !== null && "active_workflow" in state ? state.active_workflow : null;
        if (open !== null && open !== undefined) expect(verdict.decision).toBe("block");
        blocked += Number(verdict.decision === "block");
        checkGate(stateWith(), phase, anyRules as GateRules);
      }),
    );
    expect(blocked).toBeGreaterThan(20);
  });
});
