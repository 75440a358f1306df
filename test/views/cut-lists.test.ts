import { describe, expect, test } from "vitest";
import { tellOfWrites } from "../../src/engine/steps/review-writes.ts";
import type { Report } from "../../src/core/command.ts";
import type { FileChange } from "../../src/schema/facts.ts";
import { entries } from "../../src/views/change-facts.ts";
import { nothing, renderPhaseSummary } from "../../src/views/summary.ts";

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `f${at}.ts`);
const changes = (count: number): FileChange[] => names(count).map((path) => ({ path, change: "modified" }));

const summary = (count: number): string =>
  renderPhaseSummary(
    { ...nothing, number: "03", name: "Architecture", status: "Completed", changed: changes(count) },
    { minimal: false },
  );

async function failedReview(count: number): Promise<string> {
  const execution = { execution: "x", usage: null, session: null };
  const broken = { of: "broken", reason: "no_result", detail: "It ended.", again: true, ...execution } as const;
  const report: Report = { do: "report", ticket: "t", outcome: broken };
  const workspace = { now: () => Promise.resolve("b"), diff: () => Promise.resolve(changes(count)) };
  const { outcome } = await tellOfWrites(workspace, report, { before: "a", item: "docs" });
  return outcome.of === "broken" && "detail" in outcome ? outcome.detail : "";
}

/** Texts that the user reads, with their maximum number of entries. */
const LISTS: readonly (readonly [what: string, most: number, show: (count: number) => string | Promise<string>])[] = [
  ["a list of the gate", 10, (count) => entries("Files", names(count)).join("\n")],
  ["the files of a summary", 200, summary],
  ["the files written by a reviewer that failed", 20, failedReview],
];

describe.each(LISTS)("%s", (_, most, show) => {
  test("has every entry up to its limit, and says how many more there are", async () => {
    const whole = await show(most);
    expect(whole).toContain(`f${most - 1}.ts`);
    expect(whole).not.toMatch(/\b\d+ more\b/);
    const cut = await show(most + 1);
    expect(cut).not.toContain(`f${most}.ts`);
    expect(cut).toMatch(/\b1 more\b/);
  });
});
