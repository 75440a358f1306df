import { describe, expect, test } from "vitest";
import {
  artifactLines,
  gateBanner,
  gateNotice,
  recoveryBanner,
  redoPrompt,
  reviewInstructions,
  revertedLines,
} from "../../src/views/gate-banner.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import { active, answer, gate, made, person, produced, rule, started } from "./runs.ts";

const first = [...started(), ...produced("03-architecture", 1)];
const redone = (times: number) =>
  Array.from({ length: times }, (_, index) => [
    gate(),
    answer("redo", "more"),
    ...produced("03-architecture", index + 2),
  ]).flat();

const TESTS = { argv: ["npm", "test"], source: "package.json", digest: "d" };

describe("gateBanner", () => {
  test("matches the designed banner exactly", () => {
    expect(gateBanner(active(first, gate()))).toBe(`--------------------------------------------
PHASE 03 COMPLETE: Architecture

Summary: .isdlc/reviews/phase-03-summary.md
Artifacts: 1 file created/modified
Duration: 4m

Reviewer: approved after 1 review, no open findings
Decisions:
  - Files, not a database
Usage: not reported by the agent
To read: 12 lines, under a minute

[C] Continue -- advance to next phase
[R] Review -- pause for manual review/edits, resume when ready
[D] Redo -- re-run this phase with additional guidance

Your choice: _
--------------------------------------------`);
  });

  test("omits the prompt in a notice", () => {
    const run = active(first, gate());
    expect(gateNotice(run)).toBe(gateBanner(run)?.replace("Your choice: _\n", ""));
    expect(gateNotice(run)).not.toContain("Your choice");
  });

  test.each([
    [0, true],
    [2, true],
    [3, false],
  ])("offers Redo after %i redos: %s", (times, offered) => {
    const banner = gateBanner(active(first, redone(times), gate())) ?? "";
    expect(banner.includes("[D] Redo")).toBe(offered);
    expect(banner.includes("All 3 redos of this phase are used up")).toBe(!offered);
    expect(banner).toContain("[C] Continue");
    expect(banner).toContain("[R] Review");
  });

  test("prints warnings between facts and menu", () => {
    const result = made({
      concerns: ["Spec is \u001b[31mvague\u001b[0m"],
      unexpected: ["src/other.ts"],
      testsChanged: "test script differs\nTrusted: npm test (a)\nNow: npm test (b)",
    });
    const failures = [{ name: "tests", ok: false, detail: "2 failed\nmore" }];
    const run = active(
      started(),
      produced("03-architecture", 1, result),
      gate({ failures, loosened: { enabled: true, phases: ["06"] } }),
    );
    expect(gateBanner(run)?.split("\n\n")[2]).toBe(`The way tests are run has changed:
  - test script differs
  - Trusted: npm test (a)
  - Now: npm test (b)
Checks fail after the edits; Continue proceeds anyway:
  - tests: 2 failed more
Concerns:
  - Spec is ␛[31mvague␛[0m
Unexpected writes:
  - src/other.ts
Supervision was loosened: the settings now say review gates only after 06. It stays as it was unless you choose Loosen.
Reviewer: approved after 1 review, no open findings
Decisions:
  - Files, not a database
Usage: not reported by the agent
To read: 12 lines, under a minute`);
    expect(gateBanner(run)).toContain("[L] Loosen");
  });

  test("prints files with sizes, tests, verdict with open findings, and denied calls", () => {
    const patch = [
      "diff --git a/src/a.ts b/src/a.ts",
      "--- a/src/a.ts",
      "+++ b/src/a.ts",
      "@@ -1 +1,2 @@",
      "-old",
      "+new",
      "+more",
      "",
    ].join("\n");
    const issue = { severity: "warning" as const, description: "No test for zero", location: "src/a.ts:3" };
    const result = made({
      approved: false,
      issues: [issue],
      denied: ["Bash(curl *)"],
      checks: [
        {
          name: "tests",
          ok: false,
          detail: "npm test",
          counts: { passed: 11, failed: 1, skipped: 0 },
          failing: [{ name: "adds two numbers", message: "" }],
          ranAs: "sandbox",
        },
      ],
    });
    const run = { ...active(started(), produced("03-architecture", 1, result), gate()), tests: TESTS };
    const banner = gateBanner(run, { changes: { base: "since the run started", parts: [{ title: null, patch }] } });
    expect(banner?.split("\n\n")[2]).toBe(`Refused to the agent; a rule of yours would allow it:
  - Bash(curl *)
Files since the run started (1 file, +2 -1):
  - src/a.ts +2 -1
Tests: npm test: FAILED, 11 passed, 1 failed, in a sandbox
Failing tests:
  - adds two numbers
Reviewer: did not approve after 1 review, 1 open finding
  - F1  warning  src/a.ts:3  new  No test for zero
Decisions:
  - Files, not a database
Usage: not reported by the agent
To read: 12 lines, under a minute`);
  });

  test("wraps lines between words and indents continuation lines", () => {
    const result = made({ decisions: ["one two three four five six seven eight nine ten eleven"] });
    const banner = gateBanner(active(started(), produced("03-architecture", 1, result), gate()), { columns: 44 });
    expect(banner?.split("\n").filter((line) => line.length > 44)).toEqual([]);
    expect(banner).toContain("  - one two three four five six seven eight\n    nine ten eleven\n");
    expect(banner).toContain("[R] Review -- pause for manual review/edits,\n    resume when ready\n");
  });

  test("prints the progress if phase numbers are not in order", () => {
    const plan = ["16-quality-loop", "08-code-review"].map((key) => rule(key, { name: "Some phase" }));
    const [first] =
      gateBanner(active(started({ plan }), produced("16-quality-loop", 1), gate()))?.match(/PHASE.*/) ?? [];
    expect(first).toBe("PHASE 16 COMPLETE: Some phase (1 of 2)");
  });

  test("uses the name and key of a phase without a number", () => {
    const plan = [rule("create-plan", { name: "Create Plan" })];
    const banner = gateBanner(active(started({ plan }), produced("create-plan", 1), gate()));
    expect(banner).toContain("PHASE COMPLETE: Create Plan");
    expect(banner).toContain("Summary: .isdlc/reviews/phase-create-plan-summary.md");
  });

  test("returns null without an open gate", () => {
    expect(gateBanner(active(first))).toBeNull();
  });
});

describe("recoveryBanner", () => {
  test.each([
    ["open", []],
    ["paused", [answer("review")]],
  ])("offers to continue at a gate left %s", (_name, answers) => {
    expect(recoveryBanner(active(first, gate(), answers))).toBe(`A review was in progress for Phase 03 (Architecture).
Summary: .isdlc/reviews/phase-03-summary.md

[C] Continue to next phase
[R] Show summary and review again
[D] Redo -- re-run this phase with additional guidance`);
  });

  test("omits Redo if all redos are used", () => {
    expect(recoveryBanner(active(first, redone(3), gate()))).not.toContain("Redo");
  });

  test("announces the pending redo", () => {
    expect(recoveryBanner(active(first, gate(), answer("redo", "x")))).toBe(
      "A redo was in progress for Phase 03. The phase will be re-run.",
    );
  });

  test("returns null before the first gate", () => {
    expect(recoveryBanner(active(started()))).toBeNull();
  });
});

describe("revertedLines", () => {
  const paths = ["src/a.ts", "src/b\u001b[31m.ts"];

  test("prints restored files and the command to show their former content", () => {
    expect(revertedLines({ paths, kept: "0123456789abcdef" })).toEqual([
      "Put back as they were before this phase:",
      "  - src/a.ts",
      "  - src/b␛[31m.ts",
      "As they were, they are kept: git show 0123456789ab:<path>",
    ]);
  });

  test("omits the command if nothing was saved", () => {
    expect(revertedLines({ paths, kept: null })).toHaveLength(3);
  });
});

test("lists artifacts and summary during a pause", () => {
  expect(artifactLines(active(first, gate(), answer("review")))).toEqual([
    "Artifacts:",
    "  - docs/requirements/REQ-0001-login/architecture-overview.md",
    "Summary: .isdlc/reviews/phase-03-summary.md",
  ]);
});

test("prints the designed texts of Redo and Review", () => {
  expect(redoPrompt).toBe(
    "What additional guidance should this phase consider?\n(Describe what to change or focus on)\n> ",
  );
  expect(reviewInstructions.split("\n")).toEqual([
    "Review the artifacts listed above. Edit any files as needed.",
    "When ready, say 'continue' to advance to the next phase.",
  ]);
});

describe("content at the top of the banner", () => {
  const files = (...paths: string[]) => paths.map((path) => ({ path, change: "added" as const }));

  test("lists files that take effect on their own before everything else", () => {
    const result = made({ changed: files("src/app.ts", ".github/workflows/ci.yml"), concerns: ["vague"] });
    const banner = gateBanner(active([...started(), ...produced("03-architecture", 1, result)], gate())) ?? "";
    expect(banner).toMatch(/Read these first[^\n]*:\n {2}- \.github\/workflows\/ci\.yml: CI runs it\n[^]*Concerns/);
    expect(banner).not.toContain("- src/app.ts:");
  });

  test("lists warnings not shown at an accepted gate, and counts the others", () => {
    const old = ".gitignore hides a";
    const before = produced("03-architecture", 1, made({ notices: [old] }));
    const now = produced("03-architecture", 2, made({ notices: [old, ".gitignore hides b"] }));
    const again = gateBanner(active([...started(), ...before], gate(), answer("redo", "x"), ...now, gate())) ?? "";
    expect(again, "a redo accepts nothing").toContain(old);
    const accepted: EventDraft[] = [
      { type: "phase.accepted", by: person },
      { type: "phase.committed", commit: "c2" },
      { type: "phase.left" },
    ];
    const next = produced("04-design", 1, made({ notices: [old, ".gitignore hides b"] }));
    const later =
      gateBanner(active([...started(), ...before], gate(), answer("continue"), accepted, next, gate())) ?? "";
    expect(later).not.toContain(old);
    expect(later).toContain(".gitignore hides b\n  - 1 line as at an earlier gate");
  });
});
