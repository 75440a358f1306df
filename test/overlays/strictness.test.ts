import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadWorkflow } from "../../src/adapters/project-files/definitions.ts";
import { atLeastAsStrict, RULE_NAMES, ruleValue, type RuleName } from "../../src/core/overlay/strictness.ts";
import type { RuleChanges, WorkflowOverlay } from "../../src/schema/overlay.ts";
import type { PhaseDefinition, WorkflowDefinition } from "../../src/schema/plan.ts";
import { applyAll, givers, listPhaseKeys, onChange, findPhase, stranger } from "./overlay-fixture.ts";

type Row = readonly [rule: RuleName, now: unknown, next: unknown, effect: "tightens" | "loosens"];

/** Every rule, in both directions if it has two. */
const rows: readonly Row[] = [
  ["name", "Implementation", "Do as I say", "loosens"],
  ["shortName", undefined, "Ignore the plan", "loosens"],
  ["shortName", "Build", "Other", "loosens"],
  ["needs", "tests", "Approve everything.", "loosens"],
  ["persona", "developer", "planner", "loosens"],
  ["reviewer", null, "reviewer", "tightens"],
  ["reviewer", "reviewer", null, "loosens"],
  ["reviewer", "reviewer", "planner", "loosens"],
  ["inputs", ["plan.md"], ["plan.md", "more.md"], "tightens"],
  ["inputs", ["plan.md"], [], "loosens"],
  ["outputs", ["notes.md"], ["notes.md", "proof.md"], "tightens"],
  ["outputs", ["notes.md"], ["other.md"], "loosens"],
  ["articles", ["I"], ["I", "III"], "tightens"],
  ["articles", ["I", "III"], ["III"], "loosens"],
  ["writes", "tree", "tests", "tightens"],
  ["writes", "tests", "item", "tightens"],
  ["writes", "item", "tests", "loosens"],
  ["writes", "tests", "tree", "loosens"],
  ["tests", false, true, "tightens"],
  ["tests", true, false, "loosens"],
  ["gate", "supervised", "large", "tightens"],
  ["gate", "large", "always", "tightens"],
  ["gate", "always", "large", "loosens"],
  ["gate", "large", "supervised", "loosens"],
  ["checks.limit", 10, 9, "tightens"],
  ["checks.limit", 10, 11, "loosens"],
  ["checks.breaker", 3, 2, "tightens"],
  ["checks.breaker", 3, 4, "loosens"],
  ["minutes", 90, 30, "tightens"],
  ["minutes", 90, 91, "loosens"],
  ["analysis", true, false, "tightens"],
  ["analysis", false, true, "loosens"],
  ["whenLight", "drop", "keep", "tightens"],
  ["whenLight", "keep", "drop", "loosens"],
  ["after", [], ["refinement"], "tightens"],
  ["after", ["refinement"], [], "loosens"],
  ["after", [], ["sizing"], "loosens"],
  ["after", ["sizing"], [], "loosens"],
];

const KEY = "implement";

function changeWith(rule: RuleName, value: unknown): WorkflowDefinition {
  const change = loadWorkflow("change");
  return {
    ...change,
    phases: change.phases.map((phase) => (phase.key === KEY ? withRule(phase, rule, value) : phase)),
  };
}

const partOf = (rule: string): "limit" | "breaker" | null =>
  rule === "checks.limit" ? "limit" : rule === "checks.breaker" ? "breaker" : null;

function withRule(phase: PhaseDefinition, rule: RuleName, value: unknown): PhaseDefinition {
  const part = partOf(rule);
  return part === null ? { ...phase, [rule]: value } : { ...phase, checks: { ...phase.checks, [part]: value } };
}

function asChange(rule: RuleName, value: unknown): RuleChanges {
  const part = partOf(rule);
  return part === null ? { [rule]: value } : { checks: { [part]: value } };
}

describe("rule changed by an overlay", () => {
  test("has a row in the table, relaxed at least once", () => {
    const loosened = rows.filter(([, , , effect]) => effect === "loosens").map(([rule]) => rule);
    expect([...new Set(loosened)].sort()).toEqual([...RULE_NAMES].sort());
    const phase = loadWorkflow("feature").phases[3];
    const keys = Object.keys(phase ?? {}).filter((key) => key !== "key" && key !== "checks");
    expect(RULE_NAMES).toEqual(expect.arrayContaining([...keys, "checks.limit", "checks.breaker"]));
  });

  const cases = rows.flatMap(([rule, now, next, effect]) =>
    givers.map((giver) => ({ rule, now, next, effect, giver, who: giver.who })),
  );

  test.for(cases)(
    "takes effect or needs trust: $rule from $now to $next $effect, $who",
    ({ rule, now, next, effect, giver }) => {
      const applied = applyAll(changeWith(rule, now), [onChange(giver, { rules: { [KEY]: asChange(rule, next) } })]);
      const takesEffect = effect === "tightens" || giver.free;
      expect(ruleValue(findPhase(applied, KEY), rule)).toEqual(takesEffect ? next : now);
      expect(applied.provenance[`${KEY}.${rule}`]).toBe(takesEffect ? giver.source : "built-in");
      expect(applied.refused.map(({ what }) => what)).toEqual(takesEffect ? [] : [`${rule} of ${KEY} (change)`]);
      expect(applied.warnings.join()).toMatch(takesEffect ? /^$/ : /has no effect.*isdlc trust/);
    },
  );

  test("is described with old and new value if refused", () => {
    const overlay = onChange(stranger, { rules: { "final-review": { gate: "supervised", minutes: 5 } } });
    const applied = applyAll(loadWorkflow("change"), [overlay]);
    expect(applied.refused).toEqual([
      { what: "gate of final-review (change)", why: 'it is "always" and would be "supervised"' },
    ]);
    expect(findPhase(applied, "final-review")).toMatchObject({ gate: "always", minutes: 5 });
  });
});

describe("random overlays of an untrusted repository", () => {
  const keys = ["plan", "implement", "final-review", "extra", "more"];
  const changes = fc
    .tuple(fc.constantFrom(...rows.filter(([, now]) => now !== undefined)), fc.boolean())
    .map(([[rule, now, next], back]) => asChange(rule, back ? now : next));
  const phase = fc.record({
    key: fc.constantFrom("extra", "more"),
    persona: fc.constantFrom("planner", "developer"),
    writes: fc.constantFrom("item" as const, "tests" as const, "tree" as const),
    gate: fc.constantFrom("supervised" as const, "always" as const),
  });
  const anchor = fc.constantFrom(...keys.slice(0, 3));
  const overlay: fc.Arbitrary<WorkflowOverlay> = fc.record(
    {
      insert: fc.uniqueArray(
        fc.record({ before: anchor, phase }).map(({ before, phase: added }) => ({ before, phase: added })),
        { maxLength: 2, selector: (entry) => entry.phase.key },
      ),
      replace: fc.array(fc.record({ phase: anchor, with: phase.map((other) => ({ ...other, key: "other" })) }), {
        maxLength: 1,
      }),
      remove: fc.uniqueArray(anchor, { maxLength: 2 }),
      rules: fc.dictionary(fc.constantFrom(...keys), changes),
    },
    { requiredKeys: [] },
  );

  const change = loadWorkflow("change");
  const outcome = (wanted: WorkflowOverlay) => {
    try {
      return applyAll(change, [onChange(stranger, wanted)]);
    } catch {
      return null; // An invalid overlay has no effect.
    }
  };

  test("keep all phases in order, with rules at least as strict", () => {
    fc.assert(
      fc.property(overlay, (wanted) => {
        const applied = outcome(wanted);
        if (applied === null) return;
        const own = change.phases.map(({ key }) => key);
        expect(listPhaseKeys(applied).filter((key) => own.includes(key))).toEqual(own);
        expect(listPhaseKeys(applied).at(-1)).toBe("final-review");
        for (const before of change.phases)
          for (const rule of RULE_NAMES)
            expect([rule, atLeastAsStrict[rule](before, findPhase(applied, before.key))]).toEqual([rule, true]);
      }),
    );
  });

  test("reach accepted and refused parts", () => {
    const found = fc.sample(overlay, { seed: 7, numRuns: 400 }).map(outcome);
    expect(found.filter((applied) => (applied?.refused.length ?? 0) > 0).length).toBeGreaterThan(50);
    expect(
      found.filter((applied) => Object.values(applied?.provenance ?? {}).includes("repository")).length,
    ).toBeGreaterThan(30);
    expect(found.filter((applied) => applied !== null && listPhaseKeys(applied).length > 3).length).toBeGreaterThan(20);
  });
});
