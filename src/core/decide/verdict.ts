import type { Issue, Verdict } from "../../schema/agent.ts";
import type { EventDraft } from "../../schema/event.ts";
import { type ActiveRun, currentPhase } from "../run.ts";

type Judged = { readonly verdict: Verdict; readonly changed?: readonly string[] | null };

/** What a verdict means for the draft under review; null where none is. A blocker outweighs any approval. */
export function verdictEvent(run: ActiveRun, { verdict }: Judged): EventDraft | null {
  const phase = currentPhase(run);
  if (run.stage.is !== "reviewing" || phase === undefined) return null;
  const { issues, summary } = verdict;
  const blockers = issues.filter((issue) => issue.severity === "blocker");
  const approved = verdict.approved && blockers.length === 0;
  const last = phase.rule.judged === true || run.stage.work.verdicts + 1 >= phase.rule.verdicts;
  const concerns = approved ? [] : concernsOf(blockers.length > 0 ? blockers : issues, summary);
  const leadsTo = approved || last ? "complete" : "produce";
  return { type: "verdict.given", approved, issues, summary, leadsTo, concerns };
}

/** A reviewer that was asked twice and said nothing that can be read; any other trouble is a person's. */
export const isUnreadable = ({ stage }: ActiveRun, { reason }: { readonly reason: string }): boolean =>
  stage.is === "reviewing" && (reason === "invalid_result" || reason === "no_result");

/** Never an approval: the draft goes on with this concern beside it. */
export function noVerdict(detail: string): EventDraft {
  const summary = "No verdict: the reviewer was asked twice and gave none that could be read.";
  const concerns = [`${summary} ${detail}`.trim()];
  return { type: "verdict.given", approved: false, issues: [], summary, leadsTo: "complete", concerns };
}

function concernsOf(issues: readonly Issue[], summary: string): string[] {
  if (issues.length === 0) return [summary === "" ? "The reviewer did not approve and gave no reason." : summary];
  return issues.map((issue) =>
    issue.location === null ? issue.description : `${issue.description} (${issue.location})`,
  );
}
