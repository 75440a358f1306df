import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseRecording } from "../../src/adapters/agents/replay/recording.ts";
import { loadPersona, loadWorkflow } from "../../src/adapters/project-files/definitions.ts";
import { readTaskList } from "../../src/core/task-list.ts";

const { executions } = parseRecording(readFileSync(join(import.meta.dirname, "../../demo/recording.json"), "utf8"));
const { phases } = loadWorkflow("feature");
const phaseOf = (key: string) => phases.find((phase) => phase.key === key)!;

const TASKS = "tasks.md";

const documents = executions.flatMap((execution) => {
  if (execution.role !== "phase") return [];
  return execution.steps.flatMap(({ write }) =>
    write?.path.startsWith("{item}/") === true
      ? [{ phase: execution.phase, file: write.path.slice("{item}/".length), contents: write.contents }]
      : [],
  );
});

test("records every phase of the feature workflow with each output and reviewer", () => {
  for (const { key, outputs, reviewer, after } of phases) {
    const recorded = executions.filter(({ phase }) => phase === key);
    expect(recorded.some(({ role }) => role === "phase")).toBe(true);
    expect(recorded.some(({ role }) => role === "reviewer")).toBe(reviewer !== null);
    const due = after.includes("refinement") ? [...outputs, TASKS] : outputs;
    expect(new Set(documents.filter(({ phase }) => phase === key).map(({ file }) => file))).toEqual(new Set(due));
  }
});

test.each(documents.filter(({ file }) => file !== TASKS))(
  "has the headings required by the persona in $phase: $file",
  ({ phase, contents }) => {
    const asked = headingsAskedFor(loadPersona(phaseOf(phase).persona));
    expect(asked.length).toBeGreaterThan(3);
    expect(contents.match(/^## .+$/gm)).toEqual(asked);
    expect(contents.split("\n")[0]).toMatch(/^# .+: Percentage discount with a cap$/);
  },
);

test("records a valid task list that serves every requirement", () => {
  const { contents } = documents.find(({ file }) => file === TASKS)!;
  const { tasks, problems } = readTaskList(contents);
  expect(problems).toEqual([]);
  const requirements = documents.findLast(({ file }) => file === "requirements-spec.md")!.contents.match(/FR-\d+/g);
  expect(new Set(tasks.flatMap(({ serves }) => serves))).toEqual(new Set(requirements));
});

test("ends the impact analysis with metrics that match its table", () => {
  const { contents } = documents.find(({ file }) => file === "impact-analysis.md")!;
  const block = /```json\n(.+)\n```\n$/.exec(contents)?.[1] ?? "";
  const table = contents.split("## Affected Files")[1]!.split("##")[0]!;
  expect(JSON.parse(block)).toMatchObject({
    files_directly_affected: table.match(/^\| `/gm)!.length,
    risk_level: "low",
    blast_radius: "low",
    modules_affected: 2,
    coverage_gaps: 1,
  });
});

test("carries every criterion to design, tests and review", () => {
  const last = (file: string): string => documents.findLast((document) => document.file === file)!.contents;
  const requirements = new Set(last("requirements-spec.md").match(/FR-\d+/g));
  const criteria = new Set(last("requirements-spec.md").match(/AC-\d+-\d+/g));
  expect(criteria.size).toBe(14);
  for (const id of criteria)
    for (const file of ["module-design.md", "test-strategy.md"]) expect(last(file)).toContain(id);
  for (const id of requirements) expect(last("code-review-report.md")).toContain(id);
});

describe("recording of a repeated phase", () => {
  test.each(["03-architecture", "06-implementation", "08-code-review"])(
    "has answers for later attempts and iterations of %s",
    (key) => {
      for (const attempt of [1, 2, 3, 4])
        for (const iteration of [1, 2, 3])
          for (const role of phaseOf(key).reviewer === null ? ["phase"] : ["phase", "reviewer"])
            expect(found(key, { role, attempt, iteration })).toBeDefined();
      expect(found(key, { role: "phase", attempt: 2, iteration: 1 })).not.toEqual(
        found(key, { role: "phase", attempt: 1, iteration: 1 }),
      );
    },
  );
});

test("keeps the waiting time of the demo under ten seconds", () => {
  const waits = executions.flatMap(({ steps }) => steps.map(({ after }) => after));
  expect(waits.reduce((sum, after) => sum + after, 0)).toBeLessThanOrEqual(10_000);
});

function headingsAskedFor(persona: string): string[] {
  const template = /```markdown\n([\s\S]+?)\n```/.exec(persona)?.[1] ?? "";
  return [...template.matchAll(/^(## .+?)(?: <!--.*)?$/gm)].map(([, heading = ""]) => heading);
}

type Turn = { readonly role: string; readonly attempt: number; readonly iteration: number };

function found(phase: string, { role, attempt, iteration }: Turn) {
  return executions.find(
    (execution) =>
      execution.phase === phase &&
      execution.role === role &&
      (execution.attempt ?? attempt) === attempt &&
      (execution.iteration ?? iteration) === iteration,
  );
}
