import type { CheckResult } from "../schema/facts.ts";

type Outcome = Pick<CheckResult, "ok" | "isKnown" | "notStarted" | "against">;

/** Describes the result of a check. Without the names of failing tests, new failures look like known ones. */
export function checkOutcome({ ok, isKnown, notStarted, against }: Outcome): string {
  if (notStarted === true) return "could not be started";
  if (ok === null) return "not run";
  if (ok) return "passed";
  if (isKnown !== true) return "failed";
  return against === undefined ? "failed as before the run" : "no new failures";
}
