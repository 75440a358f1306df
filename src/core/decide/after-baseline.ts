import type { EventDraft } from "../../schema/event.ts";
import type { CheckResult } from "../../schema/facts.ts";
import type { ActiveRun } from "../run.ts";

/** Tests that failed before anybody wrote are a person's to decide about, unless they agreed beforehand to go on. */
export function afterBaseline(run: ActiveRun, { ok, detail, missing }: CheckResult): EventDraft {
  if (ok !== false) return { type: "baseline.settled", how: "passed", by: "engine" };
  if (run.run.options.redTests === "continue") return { type: "baseline.settled", how: "known", by: "engine" };
  const reason = missing === undefined ? "tests_red" : "not_installed";
  return { type: "step.escalated", from: "baseline", reason, detail, options: ["accept", "retry", "skip"] };
}
