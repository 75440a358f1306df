import type { Outcome } from "../../core/command.ts";
import type { Issue } from "../../schema/agent.ts";
import type { FileChange } from "../../schema/facts.ts";

/** A reviewer has nothing to write: what changed in the real tree while it ran is told, however it ended. */
export function withWritesTold(outcome: Outcome, changes: readonly FileChange[]): Outcome {
  if (changes.length === 0 || "failed" in outcome) return outcome;
  const issues = changes.map(issueFor);
  if (outcome.of === "review")
    return { ...outcome, verdict: { ...outcome.verdict, issues: [...outcome.verdict.issues, ...issues] } };
  if (outcome.of !== "broken") return outcome;
  const told = issues.slice(0, MOST_TOLD).map((issue) => issue.description);
  return { ...outcome, detail: [...told, outcome.detail].join("\n") };
}

/** The paths that `withWritesTold` named in a verdict. */
export const writtenDuringReview = (issues: readonly Issue[]): string[] =>
  issues.flatMap(({ location, description }) =>
    location !== null && description.endsWith(MEANWHILE) && description.startsWith(`${location} `) ? [location] : [],
  );

const MOST_TOLD = 20;
const MEANWHILE = "in the working tree while the reviewer ran.";

const issueFor = ({ path, change }: FileChange): Issue => ({
  severity: "warning",
  description: `${path} was ${change} ${MEANWHILE}`,
  location: path,
});
