import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ReportLine, tableText, verdictOf } from "../../bench/report.ts";

const root = join(import.meta.dirname, "..", "..");

const line = (goal: number | null, ...values: number[]): ReportLine => ({
  what: "a thing",
  base: "another",
  figures: values.map((value, index) => ({ name: `figure ${index}`, value })),
  goal,
  unit: "x",
});

describe("benches", () => {
  test("print their table regardless of NODE_OPTIONS", () => {
    const env = { ...process.env, NODE_OPTIONS: "--no-warnings" };
    const args = [join(root, "bench/run.mjs"), "--quick", "--only", "package"];
    const printed = execFileSync(process.execPath, args, {
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(printed).toMatch(/^what +against +measured +goal/m);
    expect(printed).toMatch(/^runtime dependencies +- +0 +<= 0 +pass$/m);
    expect(printed).toMatch(/^scripts run at installation +- +0 +<= 0 +pass$/m);
  });

  test.each([
    ["every figure meets the goal", line(2, 1.9, 2), "pass"],
    ["one figure meets the goal", line(2, 2.1, 1), "pass"],
    ["no figure meets the goal", line(2, 2.1, 2.01), "falls short"],
    ["the goal is missing", line(null, 9), "reported"],
  ])("rate a figure if %s", (_, measured, verdict) => {
    expect(verdictOf(measured)).toBe(verdict);
    expect(tableText([measured])).toContain(verdict);
  });
});
