import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { artifact, generatePhaseSummary, key, read, stateWith, useProject } from "./summary-project.ts";

const project = useProject();

describe("what is written", () => {
  test("SM-AC-02a, SM-AC-01g: a summary with every section, from state and git, new files included", () => {
    const start = project.repository();
    project.write(artifact, "# Architecture\n");
    project.write("changed.txt", "after\n");
    project.git("add", "--all");
    project.git("commit", "--quiet", "--message=second");
    rmSync(join(project.root, "gone.txt"));
    project.write("new file.txt", "new\n");
    project.write("ignored/x", "x\n");
    const file = generatePhaseSummary(stateWith({ start_commit: start }), key, project.root, {});
    expect(file).toBe(join(project.root, ".isdlc/reviews/phase-03-summary.md"));
    expect(read(file)).toBe(`# Phase 03 Summary: Architecture

**Status**: Completed
**Duration**: 12m (2026-02-14T10:00:00Z to 2026-02-14T10:12:00Z)
**Artifacts**: 1 files

## Key Decisions
- Files, not a database.
- One process; no server.
- Small.
- Plain.
- Fifth.

## Artifacts Created/Modified
| File | Status |
|------|--------|
| ${artifact} | Created |

## File Changes (git diff)
\`\`\`text
M\tchanged.txt
A\t${artifact}
D\tgone.txt
A\tnew file.txt
\`\`\`

## Links
- [${artifact}](../../${artifact})
`);
    expect(project.warnings).toEqual([]);
  });

  test("SM-AC-02b: nothing changed is said, artifacts still come from the state", () => {
    const start = project.repository();
    const text = read(generatePhaseSummary(stateWith({ start_commit: start }), key, project.root, {}));
    expect(text).toContain("No files changed.");
    expect(text).toContain(`| ${artifact} | Unchanged |`);
  });

  test("without artifacts in the state, git names the files", () => {
    const start = project.repository();
    project.write("docs/found.md", "x\n");
    const text = read(generatePhaseSummary(stateWith({ start_commit: start, artifacts: [] }), key, project.root, {}));
    expect(text).toContain("**Artifacts**: 1 files");
    expect(text).toContain("| docs/found.md | Created |");
  });

  test("SM-AC-02c: missing folders are made", () => {
    project.repository();
    expect(existsSync(join(project.root, ".isdlc"))).toBe(false);
    expect(isAbsolute(generatePhaseSummary(stateWith({}), key, project.root, {}) ?? "")).toBe(true);
  });

  test("SM-AC-02d: an earlier summary is replaced, and nothing else is left behind", () => {
    project.repository();
    generatePhaseSummary(stateWith({ summary: "first try" }), key, project.root, {});
    const text = read(generatePhaseSummary(stateWith({ summary: "second try" }), key, project.root, {}));
    expect(text).toContain("second try");
    expect(text).not.toContain("first try");
    expect(readdirSync(join(project.root, ".isdlc/reviews"))).toEqual(["phase-03-summary.md"]);
  });

  test("SM-AC-02e, SM-AC-01h: the minimal form", () => {
    project.repository();
    const text = read(generatePhaseSummary(stateWith({}), key, project.root, { minimal: true }));
    expect(text).toContain(
      "# Phase 03 Summary: Architecture\n\n**Status**: Completed\n**Artifacts**: 1 files\n\n## Artifacts Created/Modified\n",
    );
    expect(text).not.toMatch(/Decisions|git diff|Duration|Links/);
  });

  test("two phases with one number do not share a file", () => {
    const state = { ...stateWith({}), active_workflow: { phases: ["15-upgrade-plan", "15-upgrade-execute"] } };
    expect(generatePhaseSummary(state, "15-upgrade-plan", project.root, {})).toMatch(
      /phase-15-upgrade-plan-summary\.md$/,
    );
  });

  test("SM-NFR-03: fifty changed files are summarised within ten seconds", () => {
    const start = project.repository();
    for (let index = 0; index < 25; index += 1) project.write(`src/committed-${index}.ts`, "x\n");
    project.git("add", "--all");
    project.git("commit", "--quiet", "--message=second");
    for (let index = 0; index < 25; index += 1) project.write(`src/new-${index}.ts`, "x\n");
    const begun = performance.now();
    const text = read(generatePhaseSummary(stateWith({ start_commit: start }), key, project.root, {}));
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(text.match(/^A\tsrc\//gm)).toHaveLength(50);
  });
});

describe("what goes wrong", () => {
  test.each<[string, unknown]>([
    ["no phases", {}],
    ["another phase only", { phases: {} }],
    ["a record that is a text", { phases: { [key]: "x" } }],
    ["no state", null],
  ])("SM-ERR-200: phase data missing (%s) gives placeholders", (_name, state) => {
    project.repository();
    const text = read(generatePhaseSummary(state, key, project.root, {}));
    expect(text).toContain("# Phase 03 Summary: Architecture\n\n**Status**: Completed\n**Duration**: N/A\n");
    expect(text).toContain("**Artifacts**: 0 files\n\n## Key Decisions\nNo summary available.");
    expect(text).toContain("## Artifacts Created/Modified\nNo file changes recorded.");
    expect(project.warnings.join("")).toMatch(/^\[supervised-mode\] /);
  });

  test("SM-ERR-200, SM-AC-02e: the minimal form of a phase without data shows its name and status", () => {
    const text = read(generatePhaseSummary({}, key, project.root, { minimal: true }));
    expect(text).toContain("# Phase 03 Summary: Architecture\n\n**Status**: Completed\n**Artifacts**: 0 files\n");
  });

  test.each<[string, () => unknown]>([
    ["no repository", () => undefined],
    ["a repository without a commit", () => project.git("init", "--quiet")],
  ])("SM-ERR-201: git cannot tell (%s)", (_name, prepare) => {
    prepare();
    const text = read(generatePhaseSummary(stateWith({}), key, project.root, {}));
    expect(text).toContain("## File Changes (git diff)\nGit diff unavailable.");
    expect(project.warnings.join("")).toContain("[supervised-mode] git could not tell");
  });

  test("SM-ERR-201: a start commit that is not there is not replaced by another", () => {
    project.repository();
    const text = read(
      generatePhaseSummary(
        stateWith({ start_commit: "0123456789abcdef0123456789abcdef01234567" }),
        key,
        project.root,
        {},
      ),
    );
    expect(text).toContain("Git diff unavailable.");
  });

  test.each<[string, () => void]>([
    [".isdlc is a file", () => project.write(".isdlc", "x")],
    ["the reviews folder is a file", () => project.write(".isdlc/reviews", "x")],
    ["the root does not exist", () => rmSync(project.root, { recursive: true })],
  ])("SM-ERR-202: no folder to write in (%s) gives null", (_name, prepare) => {
    prepare();
    expect(generatePhaseSummary(stateWith({}), key, project.root, {})).toBeNull();
    expect(project.warnings.at(-1)).toContain("[supervised-mode] no summary was written");
  });

  test("SM-ERR-203: a file that cannot be written gives null and leaves nothing", () => {
    mkdirSync(join(project.root, ".isdlc/reviews/phase-03-summary.md"), { recursive: true });
    expect(generatePhaseSummary(stateWith({}), key, project.root, {})).toBeNull();
    expect(readdirSync(join(project.root, ".isdlc/reviews"))).toEqual(["phase-03-summary.md"]);
  });

  test.each<[string, unknown, unknown]>([
    ["no phase", undefined, "root"],
    ["a way out as phase", "../../x", "root"],
    ["a phase that is no text", {}, "root"],
    ["no root", key, undefined],
    ["a root with a NUL", key, "a\0b"],
  ])("SM-ERR-204: unexpected input (%s) gives null", (_name, phase, at) => {
    expect(generatePhaseSummary(stateWith({}), phase, at === "root" ? project.root : at, {})).toBeNull();
  });

  test("SM-ERR-204: no state makes it throw", () => {
    const phase = fc.dictionary(
      fc.constantFrom("status", "started", "completed", "artifacts", "summary", "start_commit"),
      fc.anything(),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          phase.map((record) => ({ phases: { [key]: record } })),
        ),
        (state) => {
          const file = generatePhaseSummary(state, key, project.root, {});
          expect(file === null || existsSync(file)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  test.each([
    ["missing", { started: undefined }],
    ["no time", { completed: "soon" }],
    ["the wrong way round", { started: "2026-02-14T11:00:00Z" }],
    ["a number", { started: 1 }],
  ])("SM-ERR-205: timestamps that are %s read as N/A", (_name, phase) => {
    expect(read(generatePhaseSummary(stateWith(phase), key, project.root, {}))).toContain("**Duration**: N/A");
  });
});
