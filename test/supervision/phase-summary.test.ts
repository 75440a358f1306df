import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { artifact, generatePhaseSummary, key, read, stateWith, useProject } from "./summary-project.ts";

const project = useProject();

describe("content of a phase summary", () => {
  test("has every section from state and git, with new files [SM-AC-02a, SM-AC-01g]", () => {
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

  test("states that nothing changed and lists artifacts of the state [SM-AC-02b]", () => {
    const start = project.repository();
    const text = read(generatePhaseSummary(stateWith({ start_commit: start }), key, project.root, {}));
    expect(text).toContain("No files changed.");
    expect(text).toContain(`| ${artifact} | Unchanged |`);
  });

  test("lists files from git if the state has no artifacts", () => {
    const start = project.repository();
    project.write("docs/found.md", "x\n");
    const text = read(generatePhaseSummary(stateWith({ start_commit: start, artifacts: [] }), key, project.root, {}));
    expect(text).toContain("**Artifacts**: 1 files");
    expect(text).toContain("| docs/found.md | Created |");
  });

  test("is written into missing folders [SM-AC-02c]", () => {
    project.repository();
    expect(existsSync(join(project.root, ".isdlc"))).toBe(false);
    expect(isAbsolute(generatePhaseSummary(stateWith({}), key, project.root, {}) ?? "")).toBe(true);
  });

  test("replaces an earlier summary and leaves no other file [SM-AC-02d]", () => {
    project.repository();
    generatePhaseSummary(stateWith({ summary: "first try" }), key, project.root, {});
    const text = read(generatePhaseSummary(stateWith({ summary: "second try" }), key, project.root, {}));
    expect(text).toContain("second try");
    expect(text).not.toContain("first try");
    expect(readdirSync(join(project.root, ".isdlc/reviews"))).toEqual(["phase-03-summary.md"]);
  });

  test("is short in the minimal form [SM-AC-02e, SM-AC-01h]", () => {
    project.repository();
    const text = read(generatePhaseSummary(stateWith({}), key, project.root, { minimal: true }));
    expect(text).toContain(
      "# Phase 03 Summary: Architecture\n\n**Status**: Completed\n**Artifacts**: 1 files\n\n## Artifacts Created/Modified\n",
    );
    expect(text).not.toMatch(/Decisions|git diff|Duration|Links/);
  });

  test("has separate files for two phases with one number", () => {
    const state = { ...stateWith({}), active_workflow: { phases: ["15-upgrade-plan", "15-upgrade-execute"] } };
    expect(generatePhaseSummary(state, "15-upgrade-plan", project.root, {})).toMatch(
      /phase-15-upgrade-plan-summary\.md$/,
    );
  });

  test("is written within ten seconds for fifty changed files [SM-NFR-03]", () => {
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

describe("phase summary after an error", () => {
  test.each<[string, unknown]>([
    ["no phases", {}],
    ["only another phase", { phases: {} }],
    ["a record of text", { phases: { [key]: "x" } }],
    ["no state", null],
  ])("has placeholders without phase data: %s [SM-ERR-200]", (_name, state) => {
    project.repository();
    const text = read(generatePhaseSummary(state, key, project.root, {}));
    expect(text).toContain("# Phase 03 Summary: Architecture\n\n**Status**: Completed\n**Duration**: N/A\n");
    expect(text).toContain("**Artifacts**: 0 files\n\n## Key Decisions\nNo summary available.");
    expect(text).toContain("## Artifacts Created/Modified\nNo file changes recorded.");
    expect(project.warnings.join("")).toMatch(/^\[supervised-mode\] /);
  });

  test("has name and status in the minimal form without data [SM-ERR-200, SM-AC-02e]", () => {
    const text = read(generatePhaseSummary({}, key, project.root, { minimal: true }));
    expect(text).toContain("# Phase 03 Summary: Architecture\n\n**Status**: Completed\n**Artifacts**: 0 files\n");
  });

  test.each<[string, () => unknown]>([
    ["no repository", () => undefined],
    ["a repository without a commit", () => project.git("init", "--quiet")],
  ])("states that the diff is unavailable: %s [SM-ERR-201]", (_name, prepare) => {
    prepare();
    const text = read(generatePhaseSummary(stateWith({}), key, project.root, {}));
    expect(text).toContain("## File Changes (git diff)\nGit diff unavailable.");
    expect(project.warnings.join("")).toContain("[supervised-mode] git could not list the changes");
  });

  test("does not replace a missing start commit by another [SM-ERR-201]", () => {
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
  ])("returns null without a writable folder: %s [SM-ERR-202]", (_name, prepare) => {
    prepare();
    expect(generatePhaseSummary(stateWith({}), key, project.root, {})).toBeNull();
    expect(project.warnings.at(-1)).toContain("[supervised-mode] no summary was written");
  });

  test("returns null for an unwritable file and leaves nothing [SM-ERR-203]", () => {
    mkdirSync(join(project.root, ".isdlc/reviews/phase-03-summary.md"), { recursive: true });
    expect(generatePhaseSummary(stateWith({}), key, project.root, {})).toBeNull();
    expect(readdirSync(join(project.root, ".isdlc/reviews"))).toEqual(["phase-03-summary.md"]);
  });

  test.each<[string, unknown, unknown]>([
    ["a missing phase", undefined, "root"],
    ["a path as phase", "../../x", "root"],
    ["a phase that is not text", {}, "root"],
    ["a missing root", key, undefined],
    ["a root with a NUL", key, "a\0b"],
  ])("returns null for unexpected input: %s [SM-ERR-204]", (_name, phase, at) => {
    expect(generatePhaseSummary(stateWith({}), phase, at === "root" ? project.root : at, {})).toBeNull();
  });

  test("never throws for any state [SM-ERR-204]", () => {
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
    ["invalid", { completed: "soon" }],
    ["in the wrong order", { started: "2026-02-14T11:00:00Z" }],
    ["numbers", { started: 1 }],
  ])("reads timestamps as N/A if they are %s [SM-ERR-205]", (_name, phase) => {
    expect(read(generatePhaseSummary(stateWith(phase), key, project.root, {}))).toContain("**Duration**: N/A");
  });
});
