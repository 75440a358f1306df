import type { EventDraft } from "../../schema/event.ts";
import type { CheckResult } from "../../schema/facts.ts";
import type { ActiveRun } from "../run.ts";

/**
 * Decides what follows the baseline. Failed tests escalate, unless the run may continue with red tests. Tests that
 * could not start always escalate.
 */
export function afterBaseline(run: ActiveRun, { ok, detail, missing, notStarted }: CheckResult): EventDraft {
  if (notStarted === true) {
    const reason = missing === undefined ? "baseline_not_started" : "not_installed";
    return { type: "step.escalated", from: "baseline", reason, detail, options: ["retry", "accept", "skip"] };
  }
  if (ok !== false) return { type: "baseline.settled", how: "passed", by: "engine" };
  if (run.run.options.redTests === "continue") return { type: "baseline.settled", how: "known", by: "engine" };
  return {
    type: "step.escalated",
    from: "baseline",
    reason: "tests_red",
    detail,
    options: ["accept", "retry", "skip"],
  };
}
