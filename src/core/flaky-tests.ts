import type { CheckResult } from "../schema/facts.ts";

/**
 * True if a second run may tell flaky tests from failing ones: the report names the failed tests, and their failures do
 * not all look like sandbox limits.
 */
export const isWorthRepeating = ({ ok, failing = [], sandboxLimits }: CheckResult): boolean =>
  ok === false && failing.length > 0 && sandboxLimits === undefined;

/** True if only tests failed that were flaky before the run. */
export const isOnlyFlaky = ({ ok, failing = [] }: CheckResult, flaky: readonly string[]): boolean =>
  ok === false && failing.length > 0 && failing.every(({ name }) => flaky.includes(name));

/** Returns the second result, with the tests that failed in the first one only. */
export function withFlaky(first: CheckResult, second: CheckResult): CheckResult {
  if (second.ok === null || (!second.ok && (second.failing ?? []).length === 0)) return second;
  const still = new Set((second.failing ?? []).map(({ name }) => name));
  const flaky = (first.failing ?? []).map(({ name }) => name).filter((name) => !still.has(name));
  if (flaky.length === 0) return second;
  return { ...second, flaky, notes: [...(second.notes ?? []), flakyNote(flaky)] };
}

const MAX_NAMED_TESTS = 5;

function flakyNote(flaky: readonly string[]): string {
  const more = flaky.length > MAX_NAMED_TESTS ? ` and ${flaky.length - MAX_NAMED_TESTS} more` : "";
  return `Flaky: failed once and passed when run again: ${flaky.slice(0, MAX_NAMED_TESTS).join(", ")}${more}`;
}
