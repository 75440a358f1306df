import { describe, expect, test } from "vitest";
import { loadWorkflow, personaDigests, workflowNames } from "../../src/adapters/project-files/definitions.ts";
import { phaseDisplayName } from "../../src/core/phase-names.ts";
import { resolvePlan } from "../../src/core/plan.ts";
import { PhaseRule } from "../../src/schema/plan.ts";

const names = ["test-generate", "test-run", "upgrade"];

describe("workflows for tests and upgrades", () => {
  test("are shipped", () => {
    expect(workflowNames()).toEqual(expect.arrayContaining(names));
  });

  test.for([
    ["test-run", ["11-local-testing", "07-testing"]],
    ["test-generate", ["05-test-strategy", "06-implementation", "16-quality-loop", "08-code-review"]],
    ["upgrade", ["15-upgrade-plan", "15-upgrade-execute", "08-code-review"]],
  ] as const)("have phases in order with their names: %s", ([name, keys]) => {
    const { phases } = loadWorkflow(name);
    expect(phases.map(({ key }) => key)).toEqual(keys);
    for (const phase of phases) expect(phase.name).toBe(phaseDisplayName(phase.key));
  });

  test.for([
    ["test-run", null, null],
    ["test-generate", null, null],
    ["upgrade", { root: "docs/requirements", prefix: "UPG" }, "upgrade/"],
  ] as const)("have their folder and branch, and no flags: %s", ([name, items, branch]) => {
    expect(loadWorkflow(name)).toMatchObject({ name, items, branch });
    expect(loadWorkflow(name).options).toEqual({});
  });

  test.for(names)("make a valid plan with inputs from earlier phases: %s", (name) => {
    const definition = loadWorkflow(name);
    const plan = resolvePlan(definition, { mode: "standard", personaDigests: personaDigests(definition) });
    for (const [index, rule] of plan.entries()) {
      expect(PhaseRule.parse(rule)).toEqual(rule);
      const made = plan.slice(0, index).flatMap(({ outputs }) => outputs);
      expect(made).toEqual(expect.arrayContaining(rule.inputs));
    }
  });

  test("have no reviewer in phases 07, 08, 11 and 16", () => {
    const phases = names.flatMap((name) => loadWorkflow(name).phases);
    const without = phases.filter(({ reviewer }) => reviewer === null).map(({ key }) => key);
    expect([...new Set(without)].sort()).toEqual([
      "07-testing",
      "08-code-review",
      "11-local-testing",
      "16-quality-loop",
    ]);
  });

  test("allow code changes in an upgrade only", () => {
    const writers = names.flatMap((name) =>
      loadWorkflow(name).phases.map(({ key, writes }) => `${name} ${key} ${writes}`),
    );
    expect(writers.filter((line) => !line.endsWith(" item"))).toEqual([
      "test-generate 06-implementation tests",
      "test-generate 16-quality-loop tests",
      "test-run 07-testing tests",
      "upgrade 15-upgrade-execute tree",
    ]);
  });

  test("require tests in phases that write more than documents", () => {
    for (const name of names)
      for (const phase of loadWorkflow(name).phases)
        expect([phase.key, phase.tests]).toEqual([phase.key, phase.writes !== "item"]);
  });
});
