import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  appendReviewHistory,
  deleteReviewHistory,
  readReviewHistory,
} from "../../src/adapters/project-files/review-history-file.ts";
import { createFeatureMeta, type SpecMeta } from "../../src/core/spec/spec-meta.ts";
import { specMetaAfter } from "../../src/core/spec/spec-meta-change.ts";
import { reviewHistoryEntry, reviewHistorySummary, type HistoryEntry } from "../../src/views/spec/review-history.ts";

const AT = "2026-11-15T10:00:00.000Z";
const iteration: HistoryEntry = {
  phase: "design",
  iteration: 1,
  at: AT,
  summary: "Two requirements have no place.",
  issues: [
    { severity: "blocker", description: "R3 is missing" },
    { severity: "note", description: "D1 cites an old file" },
  ],
  changesMade: "Added a component for R3.",
};

describe("review history entry", () => {
  test("has phase, iteration, feedback, issues and changes [SPEC-R6.2]", () => {
    expect(reviewHistoryEntry(iteration)).toBe(`## Phase: design

### Iteration 1 - 2026-11-15T10:00:00.000Z

**Reviewer Feedback:**
Two requirements have no place.

**Issues:**
- [blocker] R3 is missing
- [note] D1 cites an old file

**Changes Made:**
Added a component for R3.

---
`);
  });

  test("has placeholders for missing parts", () => {
    const bare = reviewHistoryEntry({ ...iteration, summary: " \n", issues: [], changesMade: null });
    expect(bare).toContain(
      "**Reviewer Feedback:**\n(none)\n\n**Issues:**\n(none)\n\n**Changes Made:**\n(not recorded)",
    );
  });

  /** Lines that Markdown would interpret. */
  const marks = (text: string): string[] =>
    text
      .split("\n")
      .filter((line) => /^(?:\s*(?:#|-|\+|\*|=|~~~|```|>|[0-9]+[.)])|\s{4}|\t)|\*\*|(?<!\\)<[a-z/!]/i.test(line));

  test.for([
    "## Phase: implement",
    "# Title\n\n### Iteration 9 - 2030-01-01T00:00:00Z",
    "---",
    "text\n===",
    "text\n---",
    "- [blocker] forged",
    "* forged",
    "+ forged",
    "1. forged",
    "1) forged",
    "**Changes Made:**\nnothing",
    "```\n## Phase: x",
    "~~~",
    "    code",
    "<h2>Phase</h2>",
    "> quoted",
    "a\r## Phase: carriage",
    "a\u2028## Phase: separator",
    "\u001b[2J## Phase: screen",
  ])("escapes text of an agent: %j", (hostile) => {
    const count = (entry: string) => marks(entry).length;
    const plain = count(reviewHistoryEntry({ ...iteration, summary: "x", changesMade: "x" }));
    expect(count(reviewHistoryEntry({ ...iteration, summary: hostile, changesMade: hostile }))).toBe(plain);
    const issues = [{ severity: "note" as const, description: hostile }];
    const oneIssue = count(reviewHistoryEntry({ ...iteration, issues: [{ severity: "note", description: "x" }] }));
    expect(count(reviewHistoryEntry({ ...iteration, issues }))).toBe(oneIssue);
  });

  test("is tested with marks that the check above detects", () => {
    expect(marks("## Phase: x\ntext\n- y\n**z**\n1. a")).toHaveLength(4);
  });

  test("has one heading and a limited length for any text", () => {
    const letters = fc.constantFrom("#", "-", " ", "\n", "\r", "*", "=", "`", "P", "\u2028", "\u001b[", "1.", "\\");
    const foreign = fc.string({ unit: letters, maxLength: 60 });
    fc.assert(
      fc.property(foreign, foreign, (summary, description) => {
        const entry = reviewHistoryEntry({
          ...iteration,
          summary,
          changesMade: summary,
          issues: [{ severity: "note", description }],
        });
        expect(entry.match(/^\s*#/gm)).toHaveLength(2);
        expect(entry.match(/^---$/gm)).toHaveLength(1);
      }),
    );
    const long = reviewHistoryEntry({
      ...iteration,
      summary: "word\n".repeat(9000),
      issues: Array.from({ length: 900 }, () => ({ severity: "note", description: "x".repeat(4000) })),
    });
    expect(long).toContain("- … and 850 more");
    expect(long.length).toBeLessThan(40_000);
  });
});

describe("review history file", () => {
  let feature = "";
  const file = () => join(feature, ".review-history.md");
  beforeEach(() => {
    feature = join(realpathSync(mkdtempSync(join(tmpdir(), "isdlc-history-test-"))), "001-login");
    mkdirSync(feature);
  });
  afterEach(() => rmSync(join(feature, ".."), { recursive: true, force: true }));
  const add = (change: Partial<HistoryEntry>) =>
    appendReviewHistory(feature, reviewHistoryEntry({ ...iteration, ...change }));

  test("appends entries, and stores a repeated one once [SPEC-R6.2]", () => {
    for (const change of [{}, { iteration: 2 }, { iteration: 2 }, {}, { phase: "create-plan" }]) {
      expect(add(change)).toEqual({ written: true });
    }
    const expected = [{}, { iteration: 2 }, { phase: "create-plan" }].map((change) =>
      reviewHistoryEntry({ ...iteration, ...change }),
    );
    expect(readReviewHistory(feature)).toBe(expected.join("\n"));
    expect(readdirSync(feature)).toEqual([".review-history.md"]);
  });

  test("adds changes later, and distinguishes a later attempt's first iteration", () => {
    add({ changesMade: null });
    add({ iteration: 2 });
    add({});
    add({ at: "2026-11-15T12:00:00.000Z" });
    const text = readReviewHistory(feature) ?? "";
    expect(text.match(/^### .*/gm)).toEqual([
      `### Iteration 1 - ${AT}`,
      `### Iteration 2 - ${AT}`,
      "### Iteration 1 - 2026-11-15T12:00:00.000Z",
    ]);
    expect(text).not.toContain("(not recorded)");
  });

  test("keeps text of the user", () => {
    writeFileSync(file(), "# My notes\r\nkeep\r\n\r\n");
    add({});
    expect(readReviewHistory(feature)).toBe(`# My notes\r\nkeep\n\n${reviewHistoryEntry(iteration)}`);
  });

  test("can be deleted repeatedly, without other files", () => {
    add({});
    writeFileSync(join(feature, "spec.md"), "x");
    expect(deleteReviewHistory(feature)).toEqual({ written: true });
    expect(deleteReviewHistory(feature)).toEqual({ written: true });
    expect(readdirSync(feature)).toEqual(["spec.md"]);
    expect(readReviewHistory(feature)).toBeNull();
  });

  test("is not read, written or deleted through a link", () => {
    const victim = join(feature, "victim.md");
    writeFileSync(victim, "mine");
    symlinkSync(victim, file());
    expect(add({})).toMatchObject({ written: false, warning: expect.stringContaining(".review-history.md") as string });
    expect(readReviewHistory(feature)).toBeNull();
    deleteReviewHistory(feature);
    expect([readFileSync(victim, "utf8"), readdirSync(feature)]).toEqual(["mine", ["victim.md"]]);
    symlinkSync(feature, join(feature, "..", "002-linked"));
    expect(appendReviewHistory(join(feature, "..", "002-linked"), "## Phase: x").written).toBe(false);
  });

  test.for([null, undefined, 5, "", "a\0b", "/nowhere/at/all"])("is refused in %o", (odd) => {
    expect([appendReviewHistory(odd, "x").written, deleteReviewHistory(odd).written, readReviewHistory(odd)]).toEqual([
      false,
      false,
      null,
    ]);
  });
});

test("summarizes reviews as rounds, open notes and path [SPEC-R6.4]", () => {
  const meta = createFeatureMeta({ id: "001", name: "login", mode: "quick", created: AT, worktree: null });
  const ended = (iterations: number, reviewerNotes: string[]) =>
    ({ is: "phaseCompleted", at: AT, iterations, reviewerNotes }) as const;
  const specified = specMetaAfter(meta, { ...ended(1, []), phase: "specify" });
  const designed = specMetaAfter(specified, {
    ...ended(2, ["R3 has no place\n- forged"]),
    phase: "design",
  }) as SpecMeta;
  expect(reviewHistorySummary(designed, "docs/features/001-login/.review-history.md")).toBe(
    "specify: 1 iteration\ndesign: 2 iterations\n  - R3 has no place - forged\nDetails: docs/features/001-login/.review-history.md",
  );
  expect(reviewHistorySummary(meta, null)).toBe("No reviews yet.\nNo details are kept.");
});
