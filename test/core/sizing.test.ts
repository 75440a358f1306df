import { describe, expect, test } from "vitest";
import {
  computeSizingRecommendation,
  parseFallbackMetrics,
  parseSizingFromImpactAnalysis,
  sensibleThresholds,
  computeSizing,
} from "../../src/core/sizing.ts";
import type { SizingMetrics } from "../../src/schema/facts.ts";

const block = (value: unknown): string =>
  `\`\`\`json\n${typeof value === "string" ? value : JSON.stringify(value)}\n\`\`\`\n`;
const whole = {
  files_directly_affected: 7,
  modules_affected: 2,
  risk_level: "low",
  blast_radius: "high",
  coverage_gaps: 1,
};
const read: SizingMetrics = { file_count: 7, module_count: 2, risk_score: "low", coupling: "high", coverage_gaps: 1 };
const labels = [
  "**Affected Files**: 7 in two folders",
  "**Modules Affected:** 2",
  "- **Risk Level**: LOW",
  "**Blast Radius**: **High**, many callers",
  "**Coverage Gaps**: 1",
].join("\n");

describe("SIZE-INPUT: metrics of an impact analysis", () => {
  test.for<[string, string, SizingMetrics | null]>([
    ["from its JSON block", `# Impact\n${block(whole)}`, read],
    [
      "from the last block of several",
      `${block({ ...whole, files_directly_affected: 90 })}\ntext\n${block(whole)}`,
      read,
    ],
    ["with Windows line ends", `# Impact\n${block(whole)}`.replaceAll("\n", "\r\n"), read],
    ["from labels", labels, read],
    ["from labels with Windows line ends", labels.replaceAll("\n", "\r\n"), read],
    ["from labels where the block is broken", `${labels}\n${block("{ nope")}`, read],
    ["from labels where the block is a list", `${labels}\n${block([1, 2])}`, read],
    ["from labels where the block tells of something else", `${labels}\n${block({ name: "x" })}`, read],
    ["from the block where both are there", `${labels.replace("7", "70")}\n${block(whole)}`, read],
    ["not from a block in a sentence", "so ```json {} ``` it is", null],
    ["not without files", labels.replace("**Affected Files**: 7", ""), null],
    ["not with files that are no number", labels.replace("7 in two folders", "many"), null],
    ["not with a label that only begins alike", labels.replace("Affected Files", "Affected Filesystems"), null],
    ["from labels in letters of either case", labels.toUpperCase(), read],
    ["from labels in the singular", labels.replace("Modules Affected", "Module Affected"), read],
    ["from a risk without the word level", labels.replace("Risk Level", "Risk"), read],
    ["not without a risk", labels.replace("Risk Level", "Danger"), null],
    ["not with a risk that is no level", labels.replace(/(Risk Level\W+)\w+/, "$1enormous"), null],
    ["not from nothing", " \n", null],
  ])("are read %s", ([, text, expected]) => {
    expect(parseSizingFromImpactAnalysis(text)).toEqual(expected);
  });

  test.for<[string, object, Partial<SizingMetrics>]>([
    ["lists count their entries", { files_directly_affected: ["a", "b"] }, { file_count: 2 }],
    [
      "numbers given as text count",
      { files_directly_affected: "12", coverage_gaps: "3 files" },
      { file_count: 12, coverage_gaps: 3 },
    ],
    ["text without a number is no count", { files_directly_affected: "many" }, { file_count: 0 }],
    ["negative numbers are no count", { files_directly_affected: -3 }, { file_count: 0 }],
    ["fractions are rounded down", { modules_affected: 2.9 }, { module_count: 2 }],
    ["objects are no count", { coverage_gaps: { a: 1 } }, { coverage_gaps: 0 }],
    ["an unknown level is medium", { risk_level: "catastrophic" }, { risk_score: "medium" }],
    [
      "a level of another type is medium",
      { risk_level: 3, blast_radius: null },
      { risk_score: "medium", coupling: "medium" },
    ],
    ["levels are read whatever their case", { risk_level: " HIGH " }, { risk_score: "high" }],
    ["missing fields are none and medium", { modules_affected: undefined }, { module_count: 0 }],
  ])("bad values: %s", ([, change, expected]) => {
    expect(parseSizingFromImpactAnalysis(block({ ...whole, ...change }))).toMatchObject(expected);
  });

  test("what is inherited is not read", () => {
    const text = block('{"__proto__":{"files_directly_affected":900},"risk_level":"low"}');
    expect(parseSizingFromImpactAnalysis(text)).toMatchObject({ file_count: 0, risk_score: "low" });
  });

  test.for([null, undefined, 3, {}, [], Buffer.from("x")])("%s is no document", (value) => {
    expect(parseSizingFromImpactAnalysis(value)).toBeNull();
    expect(parseFallbackMetrics(value)).toBeNull();
  });
});

describe("SIZE-INPUT: where the analysis says nothing", () => {
  test.for<[string, string, number | null]>([
    ["the count of a quick scan", 'text\n{ "affected_file_count": 4, "scope": "LARGE" }', 4],
    ["the count as a label", "**affected_file_count**: 12", 12],
    ["a small scope", "## Size\n**Scope**: SMALL, because", 3],
    ["a medium scope", "Scope: medium", 10],
    ["a large scope", '"scope": "LARGE"', 25],
    ["a scope of another word", "Scope: HUGE", null],
    ["a scope inside a word", "telescope: SMALL", null],
    ["nothing", "", null],
  ])("%s", ([, text, files]) => {
    expect(parseFallbackMetrics(text)?.file_count ?? null).toBe(files);
  });
});

describe("SIZE-INPUT: a hostile document costs time in proportion to its length", () => {
  const long = (text: string): string => text.repeat(Math.ceil(400_000 / text.length));
  test.for<[string, string]>([
    ["openings without an end", long("```json\n")],
    ["openings in one line", long("```json ")],
    ["fences", long("```\n")],
    ["labels without a value", long("**Affected Files**:\n**Risk Level**:")],
    ["asterisks", long("*")],
    ["asterisks after a label", `**Affected Files**${long("*")}\n**Risk Level**${long(" ")}`],
    ["spaces after the count", `affected_file_count:${long(" ")}`],
    ["quotes and spaces after the count", `affected_file_count${long('" ')}`],
    ["counts without a number", long("affected_file_count: ")],
    ["scopes", long("Scope: ")],
    ["deep JSON", block(long("["))],
    ["null bytes", long("\0")],
  ])("%s", ([, text]) => {
    const began = process.cpuUsage();
    parseSizingFromImpactAnalysis(text);
    parseFallbackMetrics(text);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(1500);
  });
});

describe("SIZE-RECOMMEND", () => {
  const metrics = (files: number, risk = "low"): SizingMetrics => ({ ...read, file_count: files, risk_score: risk });

  test.for<[number, string, object | undefined, string]>([
    [0, "low", undefined, "light"],
    [5, "low", undefined, "light"],
    [5, "medium", undefined, "light"],
    [6, "low", undefined, "standard"],
    [19, "medium", undefined, "standard"],
    [20, "low", undefined, "epic"],
    [1, "high", undefined, "epic"],
    [1, "HIGH", undefined, "epic"],
    [2, "low", { light_max_files: 1 }, "standard"],
    [2, "low", { light_max_files: 2, epic_min_files: 3 }, "light"],
    [3, "low", { light_max_files: 2, epic_min_files: 3 }, "epic"],
    [0, "low", { light_max_files: 0 }, "light"],
  ])("%i files, %s risk and thresholds %j is %s", ([files, risk, thresholds, intensity]) => {
    const recommended = computeSizingRecommendation(metrics(files, risk), thresholds);
    expect(recommended).toMatchObject({ intensity, metrics: metrics(files, risk) });
    expect(recommended.rationale).toContain(`${files} file`);
    expect(computeSizingRecommendation(metrics(files, risk), thresholds)).toEqual(recommended);
  });

  test.for([
    { light_max_files: 20, epic_min_files: 20 },
    { light_max_files: 30, epic_min_files: 20 },
    { light_max_files: -1 },
    { light_max_files: 2.5 },
    { light_max_files: Number.NaN },
    { light_max_files: Number.POSITIVE_INFINITY },
    { epic_min_files: "20" },
    { epic_min_files: 3 },
    null,
    "5",
    [1, 2],
  ])("senseless thresholds %j count as not given", (thresholds) => {
    expect(sensibleThresholds(thresholds)).toEqual({ light_max_files: 5, epic_min_files: 20 });
    expect(computeSizingRecommendation(metrics(5), thresholds).intensity).toBe("light");
    expect(computeSizingRecommendation(metrics(6), thresholds).intensity).toBe("standard");
  });

  test.for([null, undefined, "7", [], {}, { file_count: Number.NaN, risk_score: "low" }, { file_count: 3 }])(
    "without metrics (%j) nothing is left out",
    (value) => {
      expect(computeSizingRecommendation(value)).toMatchObject({ intensity: "standard", metrics: null });
      expect(computeSizingRecommendation(value).rationale).toMatch(/^Unable to parse /);
    },
  );

  test("what is recorded names where the numbers came from, and nothing where there are none", () => {
    const thresholds = { light_max_files: 5, epic_min_files: 20 };
    expect(computeSizing({ metrics: metrics(3), source: "quick-scan" }, thresholds)).toMatchObject({
      recommended: "light",
      source: "quick-scan",
    });
    expect(computeSizing({ metrics: null, source: "quick-scan" }, thresholds)).toMatchObject({
      recommended: "standard",
      metrics: null,
      source: null,
    });
  });
});
