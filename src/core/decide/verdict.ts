import type { EventDraft } from "../../schema/event.ts";
import type { Judgement } from "../command.ts";
import type { Finding } from "../findings/ledger.ts";
import { type AfterVerdict, afterVerdict } from "../findings/loop-policy.ts";
import { NO_VERDICT } from "../findings/no-verdict.ts";
import { type ActiveRun, currentPhase } from "../run.ts";

/** Returns the event for a verdict about the current draft. Null outside a review. */
export function verdictEvent(run: ActiveRun, { verdict, changed = null, written = [] }: Judgement): EventDraft | null {
  const phase = currentPhase(run);
  if (run.stage.is !== "reviewing" || phase === undefined) return null;
  const before = phase.iterations.length - run.stage.work.verdicts;
  const after = afterVerdict({
    earlier: phase.iterations.slice(0, before),
    iterations: [...phase.iterations.slice(before), { ...verdict, changed }],
    limit: phase.rule.verdicts,
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
