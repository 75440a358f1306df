import { describe, expect, test } from "vitest";
import { checkBlastRadiusStaleness } from "../../src/core/items/blast-radius.ts";
import { detectSource, generateSlug } from "../../src/core/items/item-source.ts";
import { checkStaleness, citedFiles } from "../../src/core/items/staleness.ts";
import { computeRecommendedTier, getTierDescription, TIER_ORDER } from "../../src/core/items/tier.ts";
import { isSafeName } from "../../src/schema/ids.ts";

const full = "abc1234def5678901234567890123456789012ab";
const other = "def5678abc1234901234567890123456789012ab";

describe("checkStaleness", () => {
  test.each([
    ["the same short hash [BUILD-AC-004-01]", "abc1234", "abc1234", false],
    ["a short hash and its full form [BUILD-AC-004-01]", "abc1234", full, false],
    ["a full hash and its short form", full, "abc1234", false],
    ["different letter case", "ABC1234", full, false],
    ["a different short hash [BUILD-AC-004-02]", "abc1234", "def5678", true],
    ["a different full hash [BUILD-AC-004-02]", full, other, true],
    ["a prefix that is too short", "abc", full, true],
    ["a text that is not a hash", "$(touch P)", full, true],
  ])("compares hashes: %s", (...[, stored, current, stale]) => {
    expect(checkStaleness({ codebase_hash: stored }, current)).toEqual({
      stale,
      originalHash: stored,
      currentHash: current,
      commitsBehind: null,
    });
  });

  test.each([null, undefined, {}, { codebase_hash: "" }, { codebase_hash: null }, { codebase_hash: 5 }, []])(
    "checks nothing if %o has no hash [BUILD-AC-004-07]",
    (meta) => {
      expect(checkStaleness(meta, full)).toEqual({
        stale: false,
        originalHash: null,
        currentHash: full,
        commitsBehind: null,
      });
    },
  );

  test.each([
    ["", ""],
    [null, null],
    [undefined, null],
  ])("reports stale if the current hash is %o", (current, told) => {
    expect(checkStaleness({ codebase_hash: full }, current)).toMatchObject({ stale: true, currentHash: told });
    expect(checkStaleness({ codebase_hash: "" }, current)).toMatchObject({ stale: false });
  });
});

const table = `## Directly Affected Files

| File | Change | Why |
|------|--------|-----|
| \`src/a.ts\` | MODIFY | FR-001, v1.2 |
| src/b.ts | ADD | see \`src/deep/c.ts:12-40\` |
| ./package.json | MODIFY | - |

- \`lib/d.js:7\` is called from \`src/a.ts\`
- folder \`docs/guide/\`
Prose that mentions \`not/cited.ts\`.
`;
const cited = ["src/a.ts", "src/b.ts", "src/deep/c.ts", "package.json", "lib/d.js", "docs/guide/"];

describe("citedFiles", () => {
  test("reads paths from tables and lists", () => {
    expect(citedFiles(table)).toEqual(cited);
    expect(citedFiles(table.replaceAll("\n", "\r\n"))).toEqual(cited);
  });

  test.each([
    ["null instead of text", null],
    [
      "paths that lead outside",
      "| `../../etc/passwd` | `/etc/passwd` | `a/../b.ts` | `C:\\x.ts` | `https://x.org/a.ts` |",
    ],
    ["words and options", "| Low | 12 | 1.5 | `npm test` | `--flag` | `-x/y` | FR-001 |"],
  ])("returns no path for %s", (_name, text) => {
    expect(citedFiles(text)).toEqual([]);
  });
});

describe("checkBlastRadiusStaleness", () => {
  const check = (impact: unknown, changed: unknown, hash: unknown = "abc1234") =>
    checkBlastRadiusStaleness({ codebase_hash: hash }, other, impact, changed);

  test.each([
    { changed: ["README.md"], severity: "none", stale: false, overlap: [] },
    { changed: ["src/a.ts", "x"], severity: "info", stale: true, overlap: ["src/a.ts"] },
    { changed: ["src/a.ts", "src/b.ts", "docs/guide/deep/x.md"], severity: "info", stale: true },
    { changed: ["src/a.ts", "src/b.ts", "package.json", "lib/d.js"], severity: "warning", stale: true },
  ])("rates $changed.length changed files as $severity", ({ changed, severity, stale, overlap = changed }) => {
    expect(check(table, changed)).toEqual({
      stale,
      severity,
      overlappingFiles: overlap,
      changedFileCount: changed.length,
      blastRadiusFileCount: cited.length,
      originalHash: "abc1234",
      currentHash: other,
      commitsBehind: null,
      fallbackReason: null,
    });
  });

  test.each([
    { impact: null, changed: ["a"], fallbackReason: "no-impact-analysis" },
    { impact: "  ", changed: ["a"], fallbackReason: "no-impact-analysis" },
    { impact: "no table", changed: ["a"], fallbackReason: "no-parseable-table" },
    { impact: table, changed: null, fallbackReason: "git-diff-failed" },
    { impact: table, changed: "unknown", fallbackReason: "git-diff-failed" },
  ])("compares the hashes if $fallbackReason", ({ impact, changed, fallbackReason }) => {
    expect(check(impact, changed)).toMatchObject({ stale: true, severity: "fallback", fallbackReason });
  });

  test("reports not stale if no relevant file changed", () => {
    expect(check(null, [])).toMatchObject({ stale: false, severity: "none" });
  });

  test("reports not stale for the same or a missing commit", () => {
    for (const hash of ["def5678", "", null])
      expect(check(table, ["src/a.ts"], hash)).toMatchObject({ stale: false, severity: "none" });
  });
});

describe("computeRecommendedTier", () => {
  test.each([
    [1, "low", "trivial"],
    [2, undefined, "trivial"],
    [3, "low", "light"],
    [8, "low", "light"],
    [9, "low", "standard"],
    [20, "low", "standard"],
    [21, "low", "epic"],
    [2, "high", "light"],
    [8, "Medium", "standard"],
    [20, "medium", "epic"],
    [500, "high", "epic"],
    [5, "who knows", "light"],
    [0, "low", "standard"],
    [-1, "low", "standard"],
    [1.5, "low", "standard"],
    [Number.NaN, "low", "standard"],
    ["3", "low", "standard"],
    [null, "high", "standard"],
  ])("rates %o files with risk %o as %s", (files, risk, tier) => {
    expect(computeRecommendedTier(files, risk)).toBe(tier);
  });

  test("accepts thresholds and ignores invalid ones", () => {
    expect(computeRecommendedTier(4, "low", { trivial_max_files: 4 })).toBe("trivial");
    expect(computeRecommendedTier(4, "low", { trivial_max_files: 9 })).toBe("light");
    expect(computeRecommendedTier(4, "low", { trivial_max_files: "x", light_max_files: -1 })).toBe("light");
  });

  test("describes every tier, and an unknown one as standard", () => {
    const labels = TIER_ORDER.map((tier) => getTierDescription(tier).label);
    expect(labels).toEqual(["Trivial", "Light", "Standard", "Epic"]);
    for (const odd of ["x", null, "__proto__", "toString"]) expect(getTierDescription(odd).label).toBe("Standard");
  });
});

describe("detectSource and generateSlug", () => {
  test.each([
    ["#42", "github", "GH-42"],
    ["  #42 ", "github", "GH-42"],
    ["#42 Login page", "github", "GH-42"],
    ["GH-42", "github", "GH-42"],
    ["ABC-12", "jira", "ABC-12"],
    ["UTF-8 in names", "manual", null],
    ["#x", "manual", null],
    ["login", "manual", null],
    ["", "manual", null],
  ])("detects for %j: %s / %s", (text, source, source_id) => {
    expect(detectSource(text)).toEqual({ source, source_id, description: text.trim() });
  });

  test("return defaults for a value that is not text", () => {
    for (const odd of [null, 5, {}, ["#1"]]) {
      expect(detectSource(odd)).toEqual({ source: "manual", source_id: null, description: "" });
      expect(generateSlug(odd)).toBe("untitled-item");
    }
  });

  test("return safe names for hostile titles", () => {
    const attacks = [
      "x;touch P;#",
      "$(touch P)",
      "`touch P`",
      "x\ntouch P",
      "--upload-pack=touch P",
      "-x",
      "../../x",
      "/etc/x",
      "a\0b",
      "C:\\x",
      "%2e%2e%2f",
      "\u3000\u202e\u200b",
      "ß".repeat(99),
      "a".repeat(100_000),
    ];
    for (const title of attacks) {
      const slug = generateSlug(title);
      expect(slug).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(slug.length).toBeLessThanOrEqual(50);
      expect(isSafeName(slug)).toBe(true);
    }
  });
});
