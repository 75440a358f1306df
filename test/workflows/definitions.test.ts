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
/** The phases of workflows that change what a program does. */
const building = phases.filter(({ workflow }) => ["change", "feature", "fix"].includes(workflow));
const keysOf = (name: string): string[] => loadWorkflow(name).phases.map((phase) => phase.key);

/** Headings of a Markdown text, without those of its examples. */
const headings = (text: string): string[] => text.replace(/^```[\s\S]*?^```$/gm, "").match(/^#{1,2} .+$/gm) ?? [];

describe("the built-in workflows", () => {
  test("change, feature and fix are among them, each under its own name", () => {
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
  ] as const)("%s has its phases in order", ([name, keys]) => {
    expect(keysOf(name)).toEqual(keys);
  });

  test.for([
    ["change", null, "change/", true, ["supervised"]],
    ["feature", { root: "docs/requirements", prefix: "REQ" }, "feature/", false, ["light", "supervised"]],
    ["fix", { root: "docs/requirements", prefix: "BUG" }, "bugfix/", false, ["supervised"]],
  ] as const)("%s names its folder, branch and flags", ([name, items, branch, asksToFinish, options]) => {
    const workflow = loadWorkflow(name);
    expect(workflow).toMatchObject({ items, branch, asksToFinish });
    expect(Object.keys(workflow.options)).toEqual(options);
  });

  test.for(["change", "feature", "fix", "spec"])(
    "SM-AC-01a: %s says what --supervised does, and that it is off",
    (name) => {
      expect(loadWorkflow(name).options["supervised"]).toEqual({
        flag: "--supervised",
        default: false,
        description: "Enable supervised mode with review gates between phases",
      });
    },
  );

  test("the feature workflow says what -light does; without it the size is decided during the run", () => {
    expect(loadWorkflow("feature").options["light"]).toEqual({
      flag: "-light",
      description: "Lightweight workflow (skip architecture and design phases)",
    });
  });

  test.for(phases)(
    "$workflow $key takes only what an earlier phase makes, nearest last",
    ({ workflow, key, inputs }) => {
      const keys = keysOf(workflow);
      const made = loadWorkflow(workflow)
        .phases.slice(0, keys.indexOf(key))
        .flatMap((phase) => [...phase.outputs, ...(phase.after.includes("refinement") ? ["tasks.md"] : [])]);
      expect([...inputs].sort()).toEqual(made.filter((name) => inputs.includes(name)).sort());
      const ordered = inputs.filter((name) => name !== "tasks.md");
      expect(ordered).toEqual(made.filter((name) => ordered.includes(name)));
    },
  );

  test("no key and no artifact appears twice in a workflow", () => {
    for (const { phases } of workflows) {
      const names = phases.flatMap((phase) => [phase.key, ...phase.outputs]);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test("the phases without a reviewer are those that need none", () => {
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

  test("only phases that build may write the tree, and those run the tests", () => {
    const builders = new Set(["implement", "06-implementation", "16-quality-loop"]);
    for (const phase of building) {
      expect([phase.key, phase.tests, phase.writes]).toEqual([
        phase.key,
        builders.has(phase.key),
        builders.has(phase.key) ? "tree" : "item",
      ]);
    }
  });

  test("light leaves out architecture and design, nothing else", () => {
    const dropped = phases.filter((phase) => phase.whenLight === "drop").map((phase) => phase.key);
    expect(dropped).toEqual(["03-architecture", "04-design"]);
  });

  test("a feature is sized after its impact analysis, and its tasks are refined after its design", () => {
    const after = phases
      .filter((phase) => phase.after.length > 0)
      .map(({ workflow, key, after }) => [workflow, key, after]);
    expect(after).toEqual([
      ["feature", "02-impact-analysis", ["sizing"]],
      ["feature", "04-design", ["refinement"]],
    ]);
  });

  test("analysis is what comes before the test strategy", () => {
    for (const name of ["feature", "fix"]) {
      const keys = keysOf(name);
      const analysis = loadWorkflow(name).phases.filter((phase) => phase.analysis);
      expect(analysis.map((phase) => phase.key)).toEqual(keys.slice(0, keys.indexOf("05-test-strategy")));
    }
    expect(loadWorkflow("change").phases.some((phase) => phase.analysis)).toBe(false);
  });

  test("a person is always asked before the end of a change, and about a large plan", () => {
    expect(loadWorkflow("change").phases.map((phase) => phase.gate)).toEqual(["large", "supervised", "always"]);
  });

  test("an unknown one is a problem that names the valid ones", () => {
    for (const name of ["nope", "../package", "__proto__", ""]) {
      expect(() => loadWorkflow(name)).toThrow(ProblemError);
    }
    expect(() => loadWorkflow("nope")).toThrow('There is no workflow "nope".');
  });
});

describe("the personas", () => {
  const used = new Set(
    phases.flatMap(({ persona, reviewer }) => (reviewer === null ? [persona] : [persona, reviewer])),
  );

  test("are exactly those that workflows name", () => {
    expect(personaNames()).toEqual([...used].sort());
  });

  test.for(personaNames())("%s has its sections and is short", (name) => {
    const text = loadPersona(name);
    const sections = headings(text).slice(1);
    const expected = name === "reviewer" ? "Limits|You are given" : "You are given|What you write";
    expect(sections).toEqual(["Craft", ...expected.split("|"), "Result"].map((section) => `## ${section}`));
    expect(text.split("\n").length).toBeGreaterThanOrEqual(25);
    expect(text.split("\n").length).toBeLessThanOrEqual(60);
  });

  const making = phases.filter(({ judged }) => judged !== true);

  test.for(making)("$workflow $key: its persona names the artifact and asks for every field of a result", (phase) => {
    const text = loadPersona(phase.persona);
    for (const name of phase.outputs) expect(text).toContain(`\`${name}\``);
    for (const field of ["status", "summary", "decisions", "artifacts", "questions", "choices"]) {
      expect(text).toContain(`\`${field}\``);
    }
    for (const status of ["done", "needs_input", "failed"]) expect(text).toContain(`\`${status}\``);
    if (phase.outputs.length > 0) expect(text).toMatch(/^```markdown\n# .+\n(?:## .+\n)+```$/m);
  });

  test("none speaks of gates or of how a run goes on", () => {
    for (const name of personaNames())
      expect(loadPersona(name)).not.toMatch(/\bgates?\b|state\.json|next phase starts/i);
  });

  test("the impact analysis ends with the metrics that sizing reads", () => {
    const blocks = [...loadPersona("impact-analyst").matchAll(/^```json\n([\s\S]*?)^```$/gm)];
    expect(Object.keys(JSON.parse(blocks.at(-1)?.[1] ?? "{}") as object)).toEqual([
      "files_directly_affected",
      "modules_affected",
      "risk_level",
      "blast_radius",
      "coverage_gaps",
    ]);
  });

  test("SPEC-R3.2: the reviewer asks whether the next phase can work with this alone", () => {
    expect(loadPersona("reviewer")).toContain("can the next phase do its work with this alone?");
  });

  test("SPEC-R3.1, SPEC-R3.3, SPEC-R3.4: the reviewer is told to read only, to add no scope and no nice-to-haves", () => {
    const text = loadPersona("reviewer");
    for (const rule of ["You write and change nothing", "Never widen the scope", "No nice-to-haves"]) {
      expect(text).toContain(rule);
    }
    expect(text).toMatch(/no questioning of what the person has decided/);
  });

  test.for([
    [
      "code-reviewer",
      "## Requirements <!-- table: Requirement and criterion | Implemented (file:line) | Proven by (test)",
    ],
    ["change-reviewer", "## Acceptance <!-- table: Line | Implemented (file:line) | Proven by"],
  ] as const)("SPEC-R3.5: %s compares what is there with what was asked, line by line", ([name, table]) => {
    expect(loadPersona(name)).toContain(table);
  });

  test("digests cover each persona of a workflow, its reviewer included", () => {
    const digests = personaDigests(loadWorkflow("change"));
    expect(Object.keys(digests).sort()).toEqual(["change-reviewer", "developer", "planner", "reviewer"]);
    expect(new Set(Object.values(digests)).size).toBe(4);
  });

  test("an unknown one is refused, also as a path", () => {
    for (const name of ["nope", "../README", "../agents/reviewer"])
      expect(() => loadPersona(name)).toThrow("no persona");
  });
});

describe("the package's own folder", () => {
  test("is found from the source", () => {
    expect(packageRoot()).toBe(join(import.meta.dirname, "../.."));
  });

  test("is the nearest one of that name above, other packages between them notwithstanding", () => {
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
