import { describe, expect, test } from "vitest";
import { attentionFor, attentionText, type ToRead } from "../../src/core/changes/attention.ts";
import { gateBanner } from "../../src/views/gate-banner.ts";
import { closingReport } from "../../src/views/history.ts";
import { statusLines, statusObject } from "../../src/views/status.ts";
import { renderPhaseSummary, buildSummaryData } from "../../src/views/summary.ts";
import { accepted, active, answer, ended, gate, left, made, produced, rule, started } from "../views/runs.ts";

const changed = (...paths: string[]): ToRead["changed"] => paths.map((path) => ({ path, change: "modified" }));
const reading = (lines: number, ...paths: string[]): ToRead => ({
  lines,
  changed: changed(...paths),
  changedSinceSeen: null,
});

describe("reading time at a gate", () => {
  test.for<[string, ToRead | null, number | null, string]>([
    ["no lines", reading(0), 0, "nothing new"],
    ["one line", reading(1, "plan.md"), 1, "1 line, under a minute"],
    ["a few lines of prose", reading(15, "plan.md"), 1, "15 lines, under a minute"],
    ["prose", reading(120, "docs/a.md", "docs/b.TXT"), 8, "120 lines, about 8 min"],
    ["prose one line into the next minute", reading(121, "docs/a.md"), 9, "121 lines, about 9 min"],
    ["code", reading(120, "src/a.ts"), 18, "120 lines, about 18 min"],
    ["mixed prose and code", reading(120, "src/a.ts", "docs/a.md"), 18, "120 lines, about 18 min"],
    [
      "documents with internal files",
      reading(120, "docs/requirements/REQ-0001-x/meta.json", "BACKLOG.md", "docs/a.md"),
      8,
      "120 lines, about 8 min",
    ],
    ["a meta.json of the project", reading(120, "src/meta.json"), 18, "120 lines, about 18 min"],
    ["a project without git", { lines: 0, changed: null, changedSinceSeen: null }, null, "unknown without git"],
    ["a phase without output", null, null, "unknown without git"],
    ["an invalid number of lines", reading(Number.NaN, "a.md"), null, "unknown without git"],
  ])("is estimated for %s", ([, found, minutes, text]) => {
    expect(attentionFor(found).minutes).toBe(minutes);
    expect(attentionText(attentionFor(found))).toBe(text);
  });

  test("covers only changes since the last review after a redo", () => {
    const again = { ...reading(40, "src/a.ts", "docs/a.md"), changedSinceSeen: changed("docs/a.md") };
    expect(attentionFor(again)).toEqual({ lines: 40, minutes: 3 });
  });
});

describe("output of the reading time", () => {
  const atGate = active(started(), produced("03-architecture", 1, made({ lines: 120 })), gate());

  test("is the last line of the banner before the menu", () => {
    const [, , facts = ""] = gateBanner(atGate)?.split("\n\n") ?? [];
    expect(facts.split("\n").at(-1)).toBe("To read: 120 lines, about 8 min");
  });

  test("is in status, as text and as JSON", () => {
    expect(statusLines(atGate, { driven: false })).toContain("To read: 120 lines, about 8 min");
    expect(statusObject(atGate, { driven: false })).toMatchObject({
      waiting: { kind: "gate", lines: 120, minutes: 8 },
    });
  });

  test("is in the summary", () => {
    const text = renderPhaseSummary(buildSummaryData(atGate, "03-architecture"), { minimal: false });
    expect(text).toContain("**To read**: 120 lines, about 8 min\n");
  });

  test("is unknown without git", () => {
    const blind = active(started(), produced("03-architecture", 1, made({ lines: 0, changed: null })), gate());
    expect(gateBanner(blind)).toContain("To read: unknown without git");
    expect(statusObject(blind, { driven: false })).toMatchObject({ waiting: { lines: null, minutes: null } });
  });
});

test("prints decisions, duration and redos in the closing report", () => {
  const run = ended(
    started({ plan: [rule("03-architecture")] }),
    produced("03-architecture", 1),
    gate(),
    answer("redo", "smaller"),
    produced("03-architecture", 2),
    gate(),
    answer("continue"),
    ...accepted,
    ...left,
    { type: "run.finished", how: "merge", merged: "abc" },
  );
  expect(closingReport(run).join("\n")).toMatchInlineSnapshot(`
    "Finished: Add a login
    Took 20m · 2 attempts · 1 redo · 0 of 1 phase accepted at the first try
    Gate decisions:
      Architecture: redo by Ada (terminal) – "smaller"
      Architecture: continue by Ada (terminal)
    Merged into main as abc."
  `);
});

test("prints writes outside the phase's scope in the closing report", () => {
  const stray = produced("03-architecture", 1, made({ unexpected: ["src/stray.ts"] }));
  const run = ended(
    started({ plan: [rule("03-architecture")] }),
    stray,
    { type: "phase.accepted", by: "engine" },
    ...accepted.filter(({ type }) => type !== "phase.accepted" && type !== "phase.rechecked"),
    ...left,
    { type: "run.finished", how: "keep", merged: null },
  );
  expect(closingReport(run).slice(0, 2)).toEqual([
    "Architecture completed and approved by the reviewer: Add a login",
    "  docs/requirements/REQ-0001-login/architecture-overview.md",
  ]);
  expect(closingReport(run)).toContain("Written where the phase may not:");
  expect(closingReport(run)).toContain("  Architecture: src/stray.ts");
});

test.for([
  ["approved by the reviewer", true, "completed and approved by the reviewer"],
  ["left at the limit of reviews", false, "completed, not approved by the reviewer"],
] as const)("lists code without isdlc's own records in the closing report of one phase: %s", ([, approved, words]) => {
  const run = ended(
    started({ plan: [rule("implement", { name: "Implement", writes: "tree" })] }),
    produced("implement", 1),
    ...left,
    { type: "run.finished", how: "keep", merged: null },
  );
  const files = ["docs/features/001-login/.meta.json", "src/login.js"];
  const output = made({ approved, changed: files.map((path) => ({ path, change: "added" })) });
  const iteration = { approved, summary: "", issues: [], changed: null };
  const phases = run.phases.map((phase) => ({ ...phase, made: output, iterations: [iteration] }));
  const lines = closingReport({ ...run, phases });
  expect(lines.slice(0, 2)).toEqual([`Implement ${words}: Add a login`, "  src/login.js"]);
  expect(lines).toContain("  Implement: src/login.js");
});
