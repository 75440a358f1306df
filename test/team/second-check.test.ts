import { expect, test } from "vitest";
import type { CheckResult } from "../../src/schema/facts.ts";
import { combineResults } from "../../team/src/server/second-check.ts";

const result = (ok: boolean | null, detail = ""): CheckResult => ({ name: "tests", ok, detail });
const checks = (worker: string, results: readonly CheckResult[]) => ({ worker, results });

test.for<[string, CheckResult[], CheckResult[], boolean | null]>([
  ["passed twice", [result(true)], [result(true)], true],
  ["not run twice", [result(null)], [result(null)], null],
  ["passed once", [result(true)], [result(false)], false],
  ["passed and not run", [result(true)], [result(null)], false],
  ["not run and passed", [result(null)], [result(true)], false],
  ["reported by the first worker only", [result(true)], [], false],
  ["reported by the second worker only", [], [result(true)], false],
])("counts a check that was %s with both results", ([, first, second, ok]) => {
  const [combined, ...others] = combineResults(checks("w1", first), checks("w2", second));
  expect(combined?.ok).toBe(ok);
  expect(others).toEqual([]);
});

test("names both workers and their results if they differ", () => {
  const [combined] = combineResults(checks("w1", [result(true)]), checks("w2", [result(false, "1 failed")]));
  expect(combined?.detail).toBe("Two workers report different results. w1: passed; w2: failed.\n1 failed");
});
