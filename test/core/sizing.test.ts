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

describe("parseSizingFromImpactAnalysis [SIZE-INPUT]", () => {
  test.for<[string, string, SizingMetrics | null]>([
    ["reads the JSON block", `# Impact\n${block(whole)}`, read],
    [
      "reads the last of several blocks",
      `${block({ ...whole, files_directly_affected: 90 })}\ntext\n${block(whole)}`,
      read,
    ],
    ["reads a block with Windows line endings", `# Impact\n${block(whole)}`.replaceAll("\n", "\r\n"), read],
    ["reads labels", labels, read],
    ["reads labels with Windows line endings", labels.replaceAll("\n", "\r\n"), read],
    ["reads labels if the block is invalid JSON", `${labels}\n${block("{ nope")}`, read],
    ["reads labels if the block is a list", `${labels}\n${block([1, 2])}`, read],
    ["reads labels if the block has other fields", `${labels}\n${block({ name: "x" })}`, read],
    ["prefers the block to labels", `${labels.replace("7", "70")}\n${block(whole)}`, read],
    ["ignores a block in a sentence", "so ```json {} ``` it is", null],
    ["returns null without files", labels.replace("**Affected Files**: 7", ""), null],
    ["returns null if the files are not a number", labels.replace("7 in two folders", "many"), null],
    ["returns null for a label that only starts alike", labels.replace("Affected Files", "Affected Filesystems"), null],
    ["reads labels in upper case", labels.toUpperCase(), read],
    ["reads labels in the singular", labels.replace("Modules Affected", "Module Affected"), read],
    ["reads a risk label without the word level", labels.replace("Risk Level", "Risk"), read],
    ["returns null without a risk", labels.replace("Risk Level", "Danger"), null],
    ["returns null for an unknown risk level", labels.replace(/(Risk Level\W+)\w+/, "$1enormous"), null],
    ["returns null for blank text", " \n", null],
  ])("%s", ([, text, expected]) => {
    expect(parseSizingFromImpactAnalysis(text)).toEqual(expected);
  });

  test.for<[string, object, Partial<SizingMetrics>]>([
    ["counts the entries of lists", { files_directly_affected: ["a", "b"] }, { file_count: 2 }],
    [
      "reads numbers given as text",
      { files_directly_affected: "12", coverage_gaps: "3 files" },
      { file_count: 12, coverage_gaps: 3 },
    ],
    ["reads text without a number as 0", { files_directly_affected: "many" }, { file_count: 0 }],
    ["reads negative numbers as 0", { files_directly_affected: -3 }, { file_count: 0 }],
    ["rounds fractions down", { modules_affected: 2.9 }, { module_count: 2 }],
    ["reads objects as 0", { coverage_gaps: { a: 1 } }, { coverage_gaps: 0 }],
    ["reads an unknown level as medium", { risk_level: "catastrophic" }, { risk_score: "medium" }],
    [
      "reads a level of another type as medium",
      { risk_level: 3, blast_radius: null },
      { risk_score: "medium", coupling: "medium" },
    ],
    ["reads levels in any case", { risk_level: " HIGH " }, { risk_score: "high" }],
    ["reads missing fields as 0", { modules_affected: undefined }, { module_count: 0 }],
  ])("%s", ([, change, expected]) => {
    expect(parseSizingFromImpactAnalysis(block({ ...whole, ...change }))).toMatchObject(expected);
  });

  test("ignores inherited fields", () => {
    const text = block('{"__proto__":{"files_directly_affected":900},"risk_level":"low"}');
    expect(parseSizingFromImpactAnalysis(text)).toMatchObject({ file_count: 0, risk_score: "low" });
  });

  test.for([null, undefined, 3, {}, [], Buffer.from("x")])("returns null for %s", (value) => {
    expect(parseSizingFromImpactAnalysis(value)).toBeNull();
    expect(parseFallbackMetrics(value)).toBeNull();
  });
});

describe("fallback metrics [SIZE-INPUT]", () => {
  test.for<[string, string, number | null]>([
    ["read the count of a quick scan", 'text\n{ "affected_file_count": 4, "scope": "LARGE" }', 4],
    ["read the count from a label", "**affected_file_count**: 12", 12],
    ["read a small scope", "## Size\n**Scope**: SMALL, because", 3],
    ["read a medium scope", "Scope: medium", 10],
    ["read a large scope", '"scope": "LARGE"', 25],
    ["ignore an unknown scope", "Scope: HUGE", null],
    ["ignore a scope inside a word", "telescope: SMALL", null],
    ["nothing", "", null],
  ])("%s", ([, text, files]) => {
    expect(parseFallbackMetrics(text)?.file_count ?? null).toBe(files);
  });
});

describe("time for a hostile document [SIZE-INPUT]", () => {
  const long = (text: string): string => text.repeat(Math.ceil(400_000 / text.length));
  test.for<[string, string]>([
    ["opening fences without an end", long("```json\n")],
    ["opening fences in one line", long("```json ")],
    ["fences", long("```\n")],
    ["labels without values", long("**Affected Files**:\n**Risk Level**:")],
    ["asterisks", long("*")],
    ["asterisks after a label", `**Affected Files**${long("*")}\n**Risk Level**${long(" ")}`],
    ["spaces after the count", `affected_file_count:${long(" ")}`],
    ["quotes and spaces after the count", `affected_file_count${long('" ')}`],
    ["counts without numbers", long("affected_file_count: ")],
    ["scopes", long("Scope: ")],
    ["deep JSON", block(long("["))],
    ["null bytes", long("\0")],
  ])("stays proportional to its length: %s", ([, text]) => {
    const began = process.cpuUsage();
    parseSizingFromImpactAnalysis(text);
    parseFallbackMetrics(text);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(1500);
  });
});

describe("computeSizingRecommendation [SIZE-RECOMMEND]", () => {
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
  ])("rates %i files and %s risk with thresholds %j as %s", ([files, risk, thresholds, intensity]) => {
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
  ])("replaces invalid thresholds %j by the defaults", (thresholds) => {
    expect(sensibleThresholds(thresholds)).toEqual({ light_max_files: 5, epic_min_files: 20 });
    expect(computeSizingRecommendation(metrics(5), thresholds).intensity).toBe("light");
    expect(computeSizingRecommendation(metrics(6), thresholds).intensity).toBe("standard");
  });

  test.for([null, undefined, "7", [], {}, { file_count: Number.NaN, risk_score: "low" }, { file_count: 3 }])(
    "recommends standard without metrics (%j)",
    (value) => {
      expect(computeSizingRecommendation(value)).toMatchObject({ intensity: "standard", metrics: null });
      expect(computeSizingRecommendation(value).rationale).toMatch(/^Unable to parse /);
    },
  );

  test("records the source of the metrics, or null without metrics", () => {
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
