import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  loadPersona,
  loadWorkflow,
  personaDigests,
  personaNames,
  workflowNames,
} from "../../src/adapters/project-files/definitions.ts";
import { packageRoot, searchUpwards } from "../../src/adapters/project-files/package-root.ts";
import { ProblemError } from "../../src/core/problem.ts";

const workflows = workflowNames().map(loadWorkflow);
const phases = workflows.flatMap((workflow) => workflow.phases.map((phase) => ({ workflow: workflow.name, ...phase })));
/** Phases of workflows that change a program. */
const building = phases.filter(({ workflow }) => ["change", "feature", "fix"].includes(workflow));
const keysOf = (name: string): string[] => loadWorkflow(name).phases.map((phase) => phase.key);

/** Headings of a Markdown text without those in its examples. */
const headings = (text: string): string[] => text.replace(/^```[\s\S]*?^```$/gm, "").match(/^#{1,2} .+$/gm) ?? [];

describe("built-in workflows", () => {
  test("include change, feature and fix, each with its own name", () => {
    expect(workflowNames()).toEqual(expect.arrayContaining(["change", "feature", "fix"]));
    expect(workflows.map((workflow) => workflow.name)).toEqual(workflowNames());
  });

  test.for([
    ["change", ["plan", "implement", "final-review"]],
    [
      "feature",
      [
        "00-quick-scan",
        "01-requirements",
        "02-impact-analysis",
        "03-architecture",
        "04-design",
        "05-test-strategy",
        "06-implementation",
        "16-quality-loop",
        "08-code-review",
      ],
    ],
    [
      "fix",
      ["01-requirements", "02-tracing", "05-test-strategy", "06-implementation", "16-quality-loop", "08-code-review"],
    ],
  ] as const)("have phases in order: %s", ([name, keys]) => {
    expect(keysOf(name)).toEqual(keys);
  });

  test.for([
    ["change", null, "change/", true, ["supervised"]],
    ["feature", { root: "docs/requirements", prefix: "REQ" }, "feature/", false, ["light", "supervised"]],
    ["fix", { root: "docs/requirements", prefix: "BUG" }, "bugfix/", false, ["supervised"]],
  ] as const)("name folder, branch and flags: %s", ([name, items, branch, asksToFinish, options]) => {
    const workflow = loadWorkflow(name);
    expect(workflow).toMatchObject({ items, branch, asksToFinish });
    expect(Object.keys(workflow.options)).toEqual(options);
  });

  test.for(["change", "feature", "fix", "spec"])(
    "describe --supervised, which is off by default: %s [SM-AC-01a]",
    (name) => {
      expect(loadWorkflow(name).options["supervised"]).toEqual({
        flag: "--supervised",
        default: false,
        description: "Enable supervised mode with review gates between phases",
      });
    },
  );

  test("describe -light in the feature workflow", () => {
    expect(loadWorkflow("feature").options["light"]).toEqual({
      flag: "-light",
      description: "Lightweight workflow (skip architecture and design phases)",
    });
  });

  test.for(phases)("use only outputs of earlier phases, nearest last: $workflow $key", ({ workflow, key, inputs }) => {
    const keys = keysOf(workflow);
    const made = loadWorkflow(workflow)
      .phases.slice(0, keys.indexOf(key))
      .flatMap((phase) => [...phase.outputs, ...(phase.after.includes("refinement") ? ["tasks.md"] : [])]);
    expect([...inputs].sort()).toEqual(made.filter((name) => inputs.includes(name)).sort());
    const ordered = inputs.filter((name) => name !== "tasks.md");
    expect(ordered).toEqual(made.filter((name) => ordered.includes(name)));
  });

  test("have no duplicate keys and artifacts", () => {
    for (const { phases } of workflows) {
      const names = phases.flatMap((phase) => [phase.key, ...phase.outputs]);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test("have no reviewer in the listed phases only", () => {
    const without = building
      .filter((phase) => phase.reviewer === null)
      .map((phase) => `${phase.workflow} ${phase.key}`);
    expect(without).toEqual([
      "change plan",
      "change final-review",
      "feature 00-quick-scan",
      "feature 16-quality-loop",
      "feature 08-code-review",
      "fix 16-quality-loop",
      "fix 08-code-review",
    ]);
  });

  test("allow writing the tree in building phases only, with tests", () => {
    const builders = new Set(["implement", "06-implementation", "16-quality-loop"]);
    for (const phase of building) {
      expect([phase.key, phase.tests, phase.writes]).toEqual([
        phase.key,
        builders.has(phase.key),
        builders.has(phase.key) ? "tree" : "item",
      ]);
    }
  });

  test("drop only architecture and design in light runs", () => {
    const dropped = phases.filter((phase) => phase.whenLight === "drop").map((phase) => phase.key);
    expect(dropped).toEqual(["03-architecture", "04-design"]);
  });

  test("size a feature after impact analysis and refine tasks after design", () => {
    const after = phases
      .filter((phase) => phase.after.length > 0)
      .map(({ workflow, key, after }) => [workflow, key, after]);
    expect(after).toEqual([
      ["feature", "02-impact-analysis", ["sizing"]],
      ["feature", "04-design", ["refinement"]],
    ]);
  });

  test("treat phases before the test strategy as analysis", () => {
    for (const name of ["feature", "fix"]) {
      const keys = keysOf(name);
      const analysis = loadWorkflow(name).phases.filter((phase) => phase.analysis);
      expect(analysis.map((phase) => phase.key)).toEqual(keys.slice(0, keys.indexOf("05-test-strategy")));
    }
    expect(loadWorkflow("change").phases.some((phase) => phase.analysis)).toBe(false);
  });

  test("have a gate before the end of a change and after a large plan", () => {
    expect(loadWorkflow("change").phases.map((phase) => phase.gate)).toEqual(["large", "supervised", "always"]);
  });

  test("cause a problem with valid names for an unknown name", () => {
    for (const name of ["nope", "../package", "__proto__", ""]) {
      expect(() => loadWorkflow(name)).toThrow(ProblemError);
    }
    expect(() => loadWorkflow("nope")).toThrow('There is no workflow "nope".');
  });
});

describe("personas", () => {
  const used = new Set(
    phases.flatMap(({ persona, reviewer }) => (reviewer === null ? [persona] : [persona, reviewer])),
  );

  test("are exactly those used by workflows", () => {
    expect(personaNames()).toEqual([...used].sort());
  });

  test.for(personaNames())("have the required sections and length: %s", (name) => {
    const text = loadPersona(name);
    const sections = headings(text).slice(1);
    const expected = name === "reviewer" ? "Limits|Input" : "Input|Output";
    expect(sections).toEqual(["Craft", ...expected.split("|"), "Result"].map((section) => `## ${section}`));
    expect(text.split("\n").length).toBeGreaterThanOrEqual(25);
    expect(text.split("\n").length).toBeLessThanOrEqual(60);
  });

  const making = phases.filter(({ judged }) => judged !== true);

  test.for(making)("name the artifact and every result field: $workflow $key", (phase) => {
    const text = loadPersona(phase.persona);
    for (const name of phase.outputs) expect(text).toContain(`\`${name}\``);
    for (const field of ["status", "summary", "decisions", "artifacts", "questions", "choices"]) {
      expect(text).toContain(`\`${field}\``);
    }
    for (const status of ["done", "needs_input", "failed"]) expect(text).toContain(`\`${status}\``);
    if (phase.outputs.length > 0) expect(text).toMatch(/^```markdown\n# .+\n(?:## .+\n)+```$/m);
  });

  test("never mention gates or the next phase", () => {
    for (const name of personaNames())
      expect(loadPersona(name)).not.toMatch(/\bgates?\b|state\.json|next phase starts/i);
  });

  test("include the metrics for sizing in the impact analysis", () => {
    const blocks = [...loadPersona("impact-analyst").matchAll(/^```json\n([\s\S]*?)^```$/gm)];
    expect(Object.keys(JSON.parse(blocks.at(-1)?.[1] ?? "{}") as object)).toEqual([
      "files_directly_affected",
      "modules_affected",
      "risk_level",
      "blast_radius",
      "coverage_gaps",
    ]);
  });

  test("ask the reviewer if the next phase can work with this alone [SPEC-R3.2]", () => {
    expect(loadPersona("reviewer")).toContain("can the next phase do its work with this alone?");
  });

  test("ask the reviewer to read only and to add no scope [SPEC-R3.1, SPEC-R3.3, SPEC-R3.4]", () => {
    const text = loadPersona("reviewer");
    for (const rule of ["You write and change nothing", "Never widen the scope", "No nice-to-haves"]) {
      expect(text).toContain(rule);
    }
    expect(text).toMatch(/no questioning of the person's decisions/);
  });

  test.for([
    [
      "code-reviewer",
      "## Requirements <!-- table: Requirement and criterion | Implemented (file:line) | Proven by (test)",
    ],
    ["change-reviewer", "## Acceptance <!-- table: Line | Implemented (file:line) | Proven by"],
  ] as const)("compare the result with the requirements line by line: %s [SPEC-R3.5]", ([name, table]) => {
    expect(loadPersona(name)).toContain(table);
  });

  test("have digests that include the reviewer", () => {
    const digests = personaDigests(loadWorkflow("change"));
    expect(Object.keys(digests).sort()).toEqual(["change-reviewer", "developer", "planner", "reviewer"]);
    expect(new Set(Object.values(digests)).size).toBe(4);
  });

  test("are refused if unknown or a path", () => {
    for (const name of ["nope", "../README", "../agents/reviewer"])
      expect(() => loadPersona(name)).toThrow("no persona");
  });
});

describe("folder of the package", () => {
  test("is found from the source", () => {
    expect(packageRoot()).toBe(join(import.meta.dirname, "../.."));
  });

  test("is the nearest parent with the package's name", () => {
    const top = mkdtempSync(join(tmpdir(), "isdlc-root-"));
    onTestFinished(() => rmSync(top, { recursive: true }));
    const bin = join(top, "dist", "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(top, "package.json"), '{"name":"isdlc"}');
    writeFileSync(join(top, "dist", "package.json"), '{"type":"commonjs"}');
    expect(searchUpwards(bin)).toBe(top);
    rmSync(join(top, "package.json"));
    expect(() => searchUpwards(bin)).toThrow("was not found above");
  });
});
