import type { EventDraft } from "../../schema/event.ts";
import type { CheckResult } from "../../schema/facts.ts";
import { hasChangedNothing } from "../changed-code.ts";
import { accept, type Decision } from "../command.ts";
import { type ActiveRun, type AttemptState, currentPhase } from "../run.ts";
import { escalation } from "./escalation.ts";

type FailedChecks = {
  readonly work: AttemptState;
  readonly failed: readonly CheckResult[];
  readonly results: CheckResult[];
  readonly digest: string;
  readonly testsChanged: string | null;
};

/**
 * Sends the draft back to the agent. Escalates at the second draft without code changes, at `breaker` equal failures
 * in a row, and at `limit` failures.
 */
export function checksFailed(run: ActiveRun, { work, failed, results, digest, testsChanged }: FailedChecks): Decision {
  const { limit, breaker } = currentPhase(run)?.rule.checks ?? { limit: 0, breaker: 0 };
  const failure: EventDraft = { type: "checks.failed", results, digest, testsChanged };
  const same = work.sameFailure?.digest === digest ? work.sameFailure.times + 1 : 1;
  const detail = failed.map((result) => `${result.name}: ${result.detail}`).join("\n");
  const trouble = { detail, checks: failed.map(({ name }) => name) };
  if (hasChangedNothing(failed) && work.idle > 0)
    return accept(failure, escalation(run, { reason: "no_change", ...trouble }));
  if (same >= breaker) return accept(failure, escalation(run, { reason: "circuit_breaker", ...trouble }));
  if (work.failures + 1 >= limit) return accept(failure, escalation(run, { reason: "max_iterations", ...trouble }));
  return accept(failure);
}
