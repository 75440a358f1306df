import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { bootstrapInterval } from "../../bench/review-order/bootstrap.ts";
import { readCases } from "../../bench/review-order/read-cases.ts";
import {
  alphabetical,
  codeFirst,
  hidingReasons,
  measured,
  readingCost,
} from "../../bench/review-order/reading-cost.ts";

const folder = mkdtempSync(join(tmpdir(), "isdlc-cases-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = { fileFields: ["path", "added", "removed", "hunks", "branching"] };
const CASE = {
  repo: "r",
  set: "s",
  files: [
    ["README.md", 8, 2, [10], 0],
    ["src/a.ts", 6, 4, [4, 6], 5],
  ],
  defects: [[1, 1, 3, 12]],
};

function write(name: string, ...rows: readonly object[]): string {
  const file = join(folder, name);
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(file, name.endsWith(".gz") ? gzipSync(text) : text);
  return file;
}

describe("review order bench", () => {
  test.each(["cases.jsonl", "cases.jsonl.gz"])("counts the lines above the first defect [%s]", (name) => {
    const [one] = readCases(write(name, HEAD, CASE));
    if (one === undefined) throw new Error("no case was read");
    expect(readingCost(one, alphabetical)).toEqual({ lines: 17 / 20, position: 1, filesBefore: 1 });
    expect(readingCost(one, measured)).toEqual({ lines: 7 / 20, position: 0, filesBefore: 0 });
  });

  test.each([
    ["without cases", [HEAD], "has no cases"],
    ["without field names", [{}, CASE], "no fileFields"],
    ["with a case without a defect", [HEAD, { ...CASE, defects: [] }], "no defective line"],
    ["with a missing count", [HEAD, { ...CASE, files: [["a.ts", 1]] }], "must be numbers"],
  ])("rejects a list %s", (name, rows, reason) => {
    expect(() => readCases(write(name, ...rows))).toThrow(reason);
  });

  test("names the reasons for folding if all defects are in folded files", () => {
    const lock = {
      ...CASE,
      files: [
        ["go.sum", 10, 0, [10], 0],
        ["a.go", 1, 0, [1], 0],
      ],
    };
    const [hidden] = readCases(write("hidden", HEAD, { ...lock, defects: [[0, 0, 3, 12]] }));
    const [both] = readCases(write("both", HEAD, { ...lock, defects: [[0, 0, 3, 12], [1, 0, 0, 1]] })); // prettier-ignore
    expect(hidden && hidingReasons(hidden)).toEqual(["a lock file"]);
    expect(both && hidingReasons(both)).toEqual([]);
  });

  test("finds planted defects and those of this project earlier than by path", () => {
    const cases = readCases(join(import.meta.dirname, "..", "..", "bench", "review-order", "sample-cases.jsonl"));
    expect(new Set(cases.map(({ set }) => set))).toEqual(new Set(["own-history", "planted"]));
    const sum = (sort: typeof measured): number =>
      cases.reduce((total, one) => total + readingCost(one, sort).lines, 0);
    expect(sum(measured)).toBeLessThan(sum(alphabetical));
    expect(sum(codeFirst)).toBeLessThan(sum(alphabetical));
    expect(cases.flatMap(hidingReasons)).toEqual([]);
  });

  test("draws the same interval each time, around the value", () => {
    const values = [1, 2, 3, 4, 5, 6, 7, 8];
    const repositories = ["a", "a", "a", "b", "b", "c", "c", "c"];
    const mean = (chosen: readonly number[]): number =>
      chosen.reduce((total, at) => total + (values[at] ?? 0), 0) / chosen.length;
    const interval = bootstrapInterval(repositories, mean);
    expect(interval).toEqual(bootstrapInterval(repositories, mean));
    expect(interval.value).toBe(4.5);
    expect(interval.low).toBeLessThan(4.5);
    expect(interval.high).toBeGreaterThan(4.5);
  });
});
