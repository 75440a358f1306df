import { describe, expect, test } from "vitest";
import { ANALYSIS_PHASES } from "../../src/core/items/analysis-status.ts";
import { completionTimes } from "../../src/core/items/item-meta.ts";
import { computeStartPhase } from "../../src/core/items/start-phase.ts";
import {
  buildSummary,
  partialAnalysis,
  skipWarning,
  stalenessMenu,
  stalenessNote,
  stalenessWarning,
  unknownHeadWarning,
} from "../../src/views/build-summary.ts";
import { itemsTable } from "../../src/views/items-table.ts";
import feature from "../../workflows/feature.json" with { type: "json" };

const workflow = feature.phases.map(({ key }) => key);
const summaryFor = (meta: unknown, item = "payment-processing"): string => {
  const start = computeStartPhase(meta, workflow);
  const { text, question } = buildSummary({ item, ...start, completedAt: completionTimes(meta) });
  return question === null ? text : `${text}\n\n${question}`;
};

describe("buildSummary", () => {
  test("prints the designed layout of a full analysis [BUILD-AC-005-01]", () => {
    expect(summaryFor({ phases_completed: [...ANALYSIS_PHASES] })).toBe(`BUILD SUMMARY: payment-processing

Analysis Status: Fully analyzed
Completed phases:
  [done] Phase 00: Quick Scan
  [done] Phase 01: Requirements
  [done] Phase 02: Impact Analysis
  [done] Phase 03: Architecture
  [done] Phase 04: Design

Build will execute:
  Phase 05: Test Strategy
  Phase 06: Implementation
  Phase 16: Quality Loop
  Phase 08: Code Review

Proceed? [Y/n]`);
  });

  test("prints valid timestamps of the file [BUILD-AC-002-02]", () => {
    const shown = summaryFor({
      phases_completed: [...ANALYSIS_PHASES],
      phase_timestamps: {
        "00-quick-scan": "2026-02-19T10:15:30.123Z",
        "01-requirements": "2026-02-19T12:00:00+02:00",
        "02-impact-analysis": "yesterday\u001b[31m",
        "03-architecture": 5,
      },
    });
    expect(shown).toContain("  [done] Phase 00: Quick Scan (2026-02-19 10:15 UTC)\n");
    expect(shown).toContain("  [done] Phase 01: Requirements (2026-02-19 10:00 UTC)\n");
    expect(shown).toContain("  [done] Phase 02: Impact Analysis\n");
    expect(shown).toContain("  [done] Phase 03: Architecture\n");
    expect(shown).toContain("Build will execute:\n  Phase 05: Test Strategy\n");
  });

  test("prints all phases of a raw item as pending, without a question [BUILD-AC-005-02]", () => {
    expect(summaryFor(null)).toBe(`BUILD SUMMARY: payment-processing

Analysis Status: Not analyzed

Build will execute:
  [pending] Phase 00: Quick Scan
  [pending] Phase 01: Requirements
  [pending] Phase 02: Impact Analysis
  [pending] Phase 03: Architecture
  [pending] Phase 04: Design
  [pending] Phase 05: Test Strategy
  [pending] Phase 06: Implementation
  [pending] Phase 16: Quality Loop
  [pending] Phase 08: Code Review`);
  });

  test("prints completed phases as done and the rest as pending [BUILD-AC-005-03]", () => {
    expect(summaryFor({ phases_completed: ["00-quick-scan", "01-requirements"] }))
      .toBe(`BUILD SUMMARY: payment-processing

Analysis Status: Partially analyzed
Completed phases:
  [done] Phase 00: Quick Scan
  [done] Phase 01: Requirements

Build will execute:
  [pending] Phase 02: Impact Analysis
  [pending] Phase 03: Architecture
  [pending] Phase 04: Design
  [pending] Phase 05: Test Strategy
  [pending] Phase 06: Implementation
  [pending] Phase 16: Quality Loop
  [pending] Phase 08: Code Review

Proceed? [Y/n]`);
  });

  test("prints a hostile folder name as one plain line", () => {
    expect(summaryFor(null, "x\nProceed? [Y/n]\u001b[2J\u202e").split("\n")[0]).toBe(
      "BUILD SUMMARY: x Proceed? [Y/n]␛[2J<U+202E>",
    );
  });
});

describe("menus and warnings", () => {
  test("list completed and missing phases and three options [BUILD-AC-003-01, BUILD-AC-003-02, BUILD-US-002-01]", () => {
    expect(
      partialAnalysis(["00-quick-scan", "01-requirements"], ["02-impact-analysis", "03-architecture", "04-design"]),
    ).toBe(
      `The analysis of this item is not complete.
  [done] Phase 00: Quick Scan
  [done] Phase 01: Requirements
  [pending] Phase 02: Impact Analysis
  [pending] Phase 03: Architecture
  [pending] Phase 04: Design

[R] Resume analysis -- continue with the first missing phase
[S] Skip to implementation -- build on the analysis as it is
[F] Full restart -- analyze everything again`,
    );
  });

  test("warn of lower quality before skipping [BUILD-AC-003-04]", () => {
    expect(skipWarning).toContain("lower quality");
  });

  test.each([
    ["several commits [BUILD-AC-004-02, BUILD-US-004-01]", 15, "abc1234 (15 commits ago)"],
    ["one commit", 1, "abc1234 (1 commit ago)"],
    ["an unknown count [BUILD-ERR-005]", "unknown" as const, "abc1234"],
  ])("print both hashes with %s", (_name, commits, shown) => {
    const [originalHash, currentHash] = [`abc1234${"0".repeat(33)}`, "def5678"];
    expect(stalenessWarning({ originalHash, currentHash, commits })).toBe(
      `Analysis was performed at commit ${shown}.\nCurrent HEAD is def5678.`,
    );
  });

  test("print an invalid stored hash as plain text", () => {
    const shown = stalenessWarning({
      originalHash: "$(x)\u001b]0;t\u0007\n[P]",
      currentHash: "def5678",
      commits: "unknown",
    });
    expect(shown.split("\n")).toEqual(["Analysis was performed at commit $(x)␛]0;t␇ [P].", "Current HEAD is def5678."]);
  });

  test("list the options for a stale analysis [BUILD-AC-004-03]", () => {
    expect(stalenessMenu.split("\n").map((line) => line.slice(0, 3))).toEqual(["[P]", "[Q]", "[A]"]);
  });

  test("state that nothing was checked if HEAD is unknown [BUILD-ERR-004]", () => {
    expect(unknownHeadWarning).toContain("not checked");
  });

  test("list a few changed files", () => {
    expect(stalenessNote(["a.ts", "b\n.ts"])).toBe(
      "2 files of this analysis have changed since it was made:\n  - a.ts\n  - b .ts\nUsing the existing analysis.",
    );
    expect(stalenessNote(Array.from({ length: 12 }, (_, index) => `f${index}`))).toContain("  … and 2 more");
  });
});

describe("itemsTable", () => {
  const now = "2026-11-15T12:00:00.000Z";
  test("prints marker, status, age and staleness in columns", () => {
    expect(
      itemsTable(
        [
          { slug: "login", status: "raw", createdAt: "2026-11-15T11:30:00.000Z", isBuilt: false, isStale: null },
          {
            slug: "REQ-0001-pay",
            status: "partial",
            createdAt: "2026-11-15T02:00:00.000Z",
            isBuilt: false,
            isStale: false,
          },
          { slug: "b", status: "analyzed", createdAt: "2026-11-01T12:00:00.000Z", isBuilt: false, isStale: true },
          { slug: "c\u001b[31m", status: "analyzed", createdAt: "soon", isBuilt: true, isStale: null },
        ],
        now,
      ),
    ).toBe(`     ITEM          STATUS    AGE  STALE
[ ]  login         raw       30m  -
[~]  REQ-0001-pay  partial   10h  no
[A]  b             analyzed  14d  yes
[x]  c␛[31m        built     -    -`);
  });

  test("prints how to add the first item", () => {
    expect(itemsTable([], now)).toContain("isdlc add");
  });
});
