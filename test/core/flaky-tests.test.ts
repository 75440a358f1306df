import { expect, test } from "vitest";
import { isOnlyFlaky, isWorthRepeating, withFlaky } from "../../src/core/flaky-tests.ts";
import type { CheckResult } from "../../src/schema/facts.ts";

const result = (...names: string[]): CheckResult => ({
  name: "tests",
  ok: names.length === 0,
  detail: "",
  ...(names.length === 0 ? {} : { failing: names.map((name) => ({ name, message: null })) }),
});
const unnamed: CheckResult = { name: "tests", ok: false, detail: "" };
const limited: CheckResult = { ...result("a"), sandboxLimits: ["network"] };

test.each<[string, CheckResult, boolean]>([
  ["named failures", result("a"), true],
  ["passed tests", result(), false],
  ["failures without names", unnamed, false],
  ["limits of the sandbox", limited, false],
  ["tests that did not run", { name: "tests", ok: null, detail: "" }, false],
])("repeats tests once: %s", (...[, first, expected]) => {
  expect(isWorthRepeating(first)).toBe(expected);
});

test.each<[string, CheckResult, string[] | undefined, boolean]>([
  ["all pass in the second run", result(), ["a", "b"], true],
  ["one passes in the second run", result("b"), ["a"], false],
  ["both fail again", result("a", "b"), undefined, false],
  ["the second run names no tests", unnamed, undefined, false],
])("calls a test flaky if it passes when run again: %s", (...[, second, flaky, ok]) => {
  const compared = withFlaky(result("a", "b"), second);
  expect([compared.flaky, compared.ok]).toEqual([flaky, ok]);
  expect(compared.notes ?? []).toHaveLength(flaky === undefined ? 0 : 1);
});

test("repeats later failures only if all of them were flaky before the run", () => {
  expect(isOnlyFlaky(result("a"), ["a", "b"])).toBe(true);
  expect(isOnlyFlaky(result("a", "c"), ["a", "b"])).toBe(false);
  expect(isOnlyFlaky(result(), ["a"])).toBe(false);
  expect(isOnlyFlaky(unnamed, ["a"])).toBe(false);
});
