import type { CheckResult, FailingTest, TestComparison } from "../schema/facts.ts";
import { failureDigest } from "./failure-digest.ts";
import type { ActiveRun, Baseline } from "./run.ts";

/** True if tests run before the first phase: some phase of the run changes code and is tested. */
export const needsBaseline = ({ tests, phases }: ActiveRun): boolean =>
  tests !== null && phases.some(({ rule }) => rule.tests && rule.writes !== "item");

/**
 * Compares a test result with the baseline. A failure is known if the user accepted the baseline and no other test
 * fails.
 */
export function againstBaseline(baseline: Baseline | null, result: CheckResult): CheckResult {
  if (baseline === null || result.name !== "tests" || !hasRun(result) || !hasRun(baseline.result)) return result;
  const against = compared(baseline.result, result);
  if (against === null) return isSameFailure(baseline, result) ? { ...result, isKnown: true } : result;
  const isKnown = !result.ok && baseline.isAccepted && against.added.length === 0 && against.still.length > 0;
  return { ...result, detail: describeComparison(result, against), against, ...(isKnown ? { isKnown } : {}) };
}

/** False for tests that could not start: they count as failed neither before nor after the work. */
const hasRun = ({ ok, notStarted }: CheckResult): boolean => ok !== null && notStarted !== true;

/** True for a failure that counts: not one the user knew and accepted. */
export const isFailure = ({ ok, isKnown }: CheckResult): boolean => ok === false && isKnown !== true;

/** Lists failures after Continue that the user has not overruled. */
export function newFailures({ stage }: Pick<ActiveRun, "stage">, results: readonly CheckResult[]): CheckResult[] {
  const overruled = stage.is === "rechecking" ? stage.overruled : [];
  return results.filter((result) => isFailure(result) && !overruled.includes(failureDigest([result])));
}

/** Compares failing tests by name. Null if the runner did not name them, or if no test failed in either result. */
function compared(before: CheckResult, now: CheckResult): TestComparison | null {
  const [then, failing] = [listFailing(before), listFailing(now)];
  if (then === null || failing === null || (then.length === 0 && failing.length === 0)) return null;
  return {
    added: failing.filter((name) => !then.includes(name)),
    still: failing.filter((name) => then.includes(name)),
    fixed: then.filter((name) => !failing.includes(name)),
  };
}

/** Returns the names of failing tests: empty if all passed, null if some failed without names. */
function listFailing({ ok, failing = [] }: CheckResult): readonly string[] | null {
  if (ok === true) return [];
  return failing.length === 0 ? null : failing.map(({ name }) => name);
}

const isSameFailure = ({ result, isAccepted }: Baseline, now: CheckResult): boolean =>
  isAccepted && now.ok === false && failureDigest([result]) === failureDigest([now]);

/** Without earlier failures every failure is new, and the report is complete as it is. */
function describeComparison(
  { ok, detail, failing = [] }: CheckResult,
  { added, still, fixed }: TestComparison,
): string {
  if (still.length + fixed.length === 0) return detail;
  const [first = ""] = detail.split("\n", 1);
  const lines = (names: readonly string[]): string[] =>
    failing.filter(({ name }) => names.includes(name)).map(failingLine);
  return [
    first,
    ...(ok === true
      ? []
      : added.length === 0
        ? ["No test fails that did not fail before the run."]
        : ["Newly failing:"]),
    ...lines(added),
    ...(still.length === 0 ? [] : ["Failing since before the run:", ...lines(still)]),
    ...(fixed.length === 0 ? [] : [`Fixed since the run started: ${fixed.join(", ")}`]),
  ].join("\n");
}

const failingLine = ({ name, message }: FailingTest): string => `✗ ${name}${message === null ? "" : `: ${message}`}`;
