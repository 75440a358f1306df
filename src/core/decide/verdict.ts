import { verdictLimit } from "../adoption.ts";
import type { EventDraft } from "../../schema/event.ts";
import { type Judgement, accept, type Decision } from "../command.ts";
import { type Finding, NO_VERDICT } from "../findings/ledger.ts";
import { type AfterVerdict, afterVerdict } from "../findings/loop-policy.ts";
import { type ActiveRun, currentPhase, type AttemptState } from "../run.ts";
import type { CheckResult } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";
import { hasChangedNothing } from "../changes/changed-code.ts";
import { escalation } from "./escalation.ts";

/** Returns the event for a verdict about the current draft. Null outside a review. */
export function verdictEvent(run: ActiveRun, { verdict, changed = null, written = [] }: Judgement): EventDraft | null {
  const phase = currentPhase(run);
  if (run.stage.is !== "reviewing" || phase === undefined) return null;
  const before = phase.iterations.length - run.stage.work.verdicts;
  const after = afterVerdict({
    earlier: phase.iterations.slice(0, before),
    iterations: [...phase.iterations.slice(before), { ...verdict, changed }],
    limit: verdictLimit(phase, run.stage.draft),
  });
  const { issues, summary } = verdict;
  const approved = after.stopped === "approved";
  const stopped = isEarly(after) && after.why !== null ? { stopped: after.why } : {};
  const concerns = approved ? [] : [...listConcerns(after.open, summary), ...Object.values(stopped)];
  const evidence = verdict.evidence?.length ? { evidence: verdict.evidence } : {};
  const meanwhile = written.length === 0 ? {} : { written: [...written] };
  const facts = {
    approved,
    issues,
    summary,
    ...evidence,
    ...meanwhile,
    changed: changed === null ? null : [...changed],
  };
  return { type: "verdict.given", ...facts, leadsTo: after.leadsTo, concerns, ...stopped };
}

const isEarly = ({ stopped }: AfterVerdict): boolean =>
  stopped === "recurring" || stopped === "flipping" || stopped === "causing";

/** True if a reviewer failed twice in a row to return a readable verdict. Any other error escalates. */
export const isUnreadable = ({ stage }: ActiveRun, { reason }: { readonly reason: string }): boolean =>
  stage.is === "reviewing" && UNREADABLE.has(reason) && UNREADABLE.has(stage.work.trouble ?? "");

const UNREADABLE: ReadonlySet<string> = new Set(["invalid_result", "no_result"]);

/** Returns a verdict that never approves: the draft continues with this concern. */
export function noVerdict(detail: string): EventDraft {
  const concerns = [`${NO_VERDICT} ${detail}`.trim()];
  return { type: "verdict.given", approved: false, issues: [], summary: NO_VERDICT, leadsTo: "complete", concerns };
}

/** Lists the open blockers, or all open findings if none blocks. Without findings, the summary. */
function listConcerns(open: readonly Finding[], summary: string): string[] {
  if (open.length === 0) return [summary === "" ? "The reviewer did not approve and gave no reason." : summary];
  const blockers = open.filter(({ severity }) => severity === "blocker");
  return (blockers.length > 0 ? blockers : open).map(toConcern);
}

const toConcern = ({ id, description, location }: Finding): string =>
  location === null ? `${id}: ${description}` : `${id}: ${description} (${location})`;

type FailedChecks = {
  readonly work: AttemptState;
  readonly failed: readonly CheckResult[];
  readonly results: CheckResult[];
  readonly digest: string;
  readonly testsChanged: string | null;
  readonly tree?: TreeId;
};

/**
 * Sends the draft back to the agent. Escalates at the second draft without code changes, at `breaker` equal failures
 * in a row, and at `limit` failures.
 */
export function checksFailed(
  run: ActiveRun,
  { work, failed, results, digest, testsChanged, tree }: FailedChecks,
): Decision {
  const { limit, breaker } = currentPhase(run)?.rule.checks ?? { limit: 0, breaker: 0 };
  const left = tree === undefined ? {} : { tree };
  const failure: EventDraft = { type: "checks.failed", results, digest, testsChanged, ...left };
  const same = work.sameFailure?.digest === digest ? work.sameFailure.times + 1 : 1;
  const detail = failed.map((result) => `${result.name}: ${result.detail}`).join("\n");
  const trouble = { detail, checks: failed.map(({ name }) => name) };
  if (hasChangedNothing(failed) && work.idle > 0)
    return accept(failure, escalation(run, { reason: "no_change", ...trouble }));
  if (same >= breaker) return accept(failure, escalation(run, { reason: "circuit_breaker", ...trouble }));
  if (work.failures + 1 >= limit) return accept(failure, escalation(run, { reason: "max_iterations", ...trouble }));
  return accept(failure);
}
