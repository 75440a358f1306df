import type { ExecutionFacts, Outcome, Report } from "../../core/command.ts";
import { describe, ProblemError } from "../../core/problem.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Issue } from "../../schema/agent.ts";
import type { FileChange } from "../../schema/facts.ts";
import { snapshotGone } from "./snapshot-gone.ts";

type ReviewedTree = { readonly before: string | null; readonly item: string };

/**
 * Adds files written during the review to the reviewer's report. If they are unknown, the review fails but its usage
 * still counts.
 */
export async function tellOfWrites(
  workspace: Workspace,
  report: Report,
  { before, item }: ReviewedTree,
): Promise<Report> {
  try {
    const changes = await workspace.diff(before, await workspace.now([item]));
    if (changes === null && before !== null) throw snapshotGone("the review");
    return { ...report, outcome: withWritesTold(report.outcome, changes ?? []) };
  } catch (error) {
    if (!(error instanceof ProblemError) || !("execution" in report.outcome)) throw error;
    return { ...report, outcome: brokenBy(report.outcome, error) };
  }
}

function brokenBy(
  outcome: Pick<ExecutionFacts, "execution"> & Partial<ExecutionFacts>,
  { problem }: ProblemError,
): Outcome {
  const { execution, usage = null, session = null } = outcome;
  const { what, fix } = describe(problem);
  const reason = problem.code.toLowerCase();
  return { of: "broken", execution, usage, session, reason, detail: `${what} ${fix}`, again: false };
}

/** Reports changes to the real working tree during a review, whatever its result, because a reviewer must not write. */
function withWritesTold(outcome: Outcome, changes: readonly FileChange[]): Outcome {
  if (changes.length === 0 || "failed" in outcome) return outcome;
  const issues = changes.map(issueFor);
  if (outcome.of === "review") {
    const { verdict } = outcome;
    const written = changes.map(({ path }) => path);
    return { ...outcome, verdict: { ...verdict, issues: [...verdict.issues, ...issues] }, written };
  }
  if (outcome.of !== "broken") return outcome;
  const told = issues.slice(0, MAX_TOLD).map((issue) => issue.description);
  return { ...outcome, detail: [...told, outcome.detail].join("\n") };
}

const MAX_TOLD = 20;

const issueFor = ({ path, change }: FileChange): Issue => ({
  severity: "warning",
  description: `${path} was ${change} in the working tree while the reviewer ran.`,
  location: path,
});
