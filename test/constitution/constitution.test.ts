import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readConstitution, writeConstitution } from "../../src/adapters/project-files/constitution-file.ts";
import { loadPersona, loadWorkflow, workflowNames } from "../../src/adapters/project-files/definitions.ts";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { readArticles, CONSTITUTION_FILE } from "../../src/core/constitution.ts";
import { ProblemError } from "../../src/core/problem.ts";

const starter = readFileSync(join(import.meta.dirname, "../../templates/constitution.md"), "utf8");

function project(): string {
  const root = mkdtempSync(join(tmpdir(), "isdlc-constitution-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  return root;
}

describe("starter constitution", () => {
  test("contains the fifteen articles", () => {
    expect(starter.match(/^## .+$/gm)).toEqual([
      "## Article I: Specification Primacy",
      "## Article II: Test-First",
      "## Article III: Security by Design",
      "## Article IV: Explicit over Implicit",
      "## Article V: Simplicity",
      "## Article VI: Code Review",
      "## Article VII: Artifact Traceability",
      "## Article VIII: Documentation Currency",
      "## Article IX: Gate Integrity",
      "## Article X: Fail-Safe Defaults",
      "## Article XI: Test Quality beyond Coverage",
      "## Article XII: Cross-Platform",
      "## Article XIII: Module System",
      "## Article XIV: State Integrity",
      "## Article XV: Tool Preference",
    ]);
  });

  test("contains each article named by a phase", () => {
    const named = workflowNames().flatMap((name) => loadWorkflow(name).phases.flatMap((phase) => phase.articles));
    expect(new Set(named).size).toBeGreaterThan(10);
    for (const article of new Set(named)) expect(readArticles(starter, [article])).toContain(`Article ${article}: `);
  });
});

describe("articles of a constitution", () => {
  const text = [
    "# Ours",
    "## Article I: One",
    "First.",
    "### Details",
    "More of it.",
    "```md",
    "## Article III: not a heading",
    "```",
    "## II. Two",
    "Second.",
    "### XIV",
    "Fourteenth.",
    "## I think this is no article",
    "## Introduction",
    "No article.",
  ].join("\n");

  test.for<[string[], string]>([
    [["I"], "## Article I: One\nFirst.\n### Details\nMore of it.\n```md\n## Article III: not a heading\n```"],
    [["II"], "## II. Two\nSecond."],
    [["XIV", "ii"], "## II. Two\nSecond.\n\n### XIV\nFourteenth."],
    [["III"], ""],
    [["IN"], ""],
    [[], ""],
  ])("are selected by %j", ([names, expected]) => {
    expect(readArticles(text, names)).toBe(expected);
    expect(readArticles(text.replaceAll("\n", "\r\n"), names)).toBe(expected);
  });

  test("are shortened if one is too long", () => {
    const long = readArticles(`## Article I\n${"x".repeat(5000)}\n## Article II\nshort`, ["I", "II"]);
    expect(long.length).toBeLessThan(2100);
    expect(long).toContain("…\n\n## Article II");
  });
});

describe("constitution file", () => {
  test("is written once and never overwritten", () => {
    const root = project();
    expect(readConstitution(root, nodeFiles)).toBeNull();
    expect(writeConstitution(root, nodeFiles)).toBe(true);
    expect(readConstitution(root, nodeFiles)).toBe(starter);
    writeFileSync(join(root, CONSTITUTION_FILE), "ours");
    expect(writeConstitution(root, nodeFiles)).toBe(false);
    expect(readConstitution(root, nodeFiles)).toBe("ours");
  });

  test("is neither read nor written through a link", () => {
    const [root, elsewhere] = [project(), project()];
    symlinkSync(elsewhere, join(root, "docs"));
    expect(() => readConstitution(root, nodeFiles)).toThrow(ProblemError);
    expect(() => writeConstitution(root, nodeFiles)).toThrow(ProblemError);
    const other = project();
    mkdirSync(join(other, "docs/isdlc"), { recursive: true });
    writeFileSync(join(elsewhere, "secret"), "secret");
    symlinkSync(join(elsewhere, "secret"), join(other, CONSTITUTION_FILE));
    expect(() => readConstitution(other, nodeFiles)).toThrow(ProblemError);
    expect(writeConstitution(other, nodeFiles)).toBe(false);
    expect(readFileSync(join(elsewhere, "secret"), "utf8")).toBe("secret");
  });

  test("is ignored if it is larger than 256 kB", () => {
    const root = project();
    writeConstitution(root, nodeFiles);
    writeFileSync(join(root, CONSTITUTION_FILE), "x".repeat(256 * 1024 + 1));
    expect(readConstitution(root, nodeFiles)).toBeNull();
  });
});

test("asks the reviewer to cite the article", () => {
  expect(loadPersona("reviewer")).toContain(
    'start the description of such a finding with its number ("Article III: …")',
  );
});
