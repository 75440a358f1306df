import type { ExecutionFacts, Outcome, Report } from "../../core/command.ts";
import { describe, ProblemError } from "../../core/problem.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Issue, Verdict } from "../../schema/agent.ts";
import type { FileChange } from "../../schema/facts.ts";
import { artifactPath } from "../../core/plan.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import type { Engine } from "../engine.ts";

type ReviewedTree = { readonly before: string | null; readonly item: string };

/**
 * Adds files written during the review to the reviewer's report. If they are unknown, the review fails but its usage
 * still counts.
 */
export async function tellOfWrites(
  workspace: Pick<Workspace, "diff" | "now">,
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
  const rest = issues.length - told.length;
  const more = rest > 0 ? [`and ${rest} more files`] : [];
  return { ...outcome, detail: [...told, ...more, outcome.detail].join("\n") };
}

const MAX_TOLD = 20;

const issueFor = ({ path, change }: FileChange): Issue => ({
  severity: "warning",
  description: `${path} was ${change} in the working tree while the reviewer ran.`,
  location: path,
});

/** Fails the step, because a missing snapshot could hide changes. */
export const snapshotGone = (what: string): ProblemError =>
  new ProblemError({ code: "GIT_FAILED", command: "diff", detail: `the snapshot from before ${what} is gone` });

/** Returns a verdict without a model if an input of the phase is missing or empty; otherwise null. */
export function missingPredecessor({ projections }: Pick<Engine, "projections">, run: ActiveRun): Verdict | null {
  const path = findPredecessor(run) ?? emptyInput(projections, run);
  if (path === null || isFilled(projections, path)) return null;
  const description = `${path} is missing or empty, and this phase builds on it.`;
  const issues = [{ severity: "blocker" as const, description, location: path }];
  return { approved: false, issues, summary: "Not reviewed: the input of the phase is missing." };
}

/**
 * Fallback if this run produced no input: the last existing input, if empty. Missing inputs were resolved before the
 * run.
 */
function emptyInput(projections: Engine["projections"], run: ActiveRun): string | null {
  const wanted = currentPhase(run)?.rule.inputs ?? [];
  const there = projections.itemNames(run.run.item);
  const paths = wanted.filter((name) => there.includes(name)).map((name) => artifactPath(run.run.item, name));
  return paths.findLast((path) => !isFilled(projections, path)) ?? null;
}

const isFilled = (projections: Engine["projections"], path: string): boolean =>
  (projections.readArtifact(path) ?? "").trim() !== "";

/** Output of the nearest earlier phase of this run that is an input here. Phases skipped by sizing do not count. */
function findPredecessor(run: ActiveRun): string | null {
  const wanted = currentPhase(run)?.rule.inputs ?? [];
  const made = run.phases
    .slice(0, run.index)
    .filter(({ status, dropped }) => status === "completed" && !dropped)
    .flatMap(({ rule }) => rule.outputs.filter((name) => wanted.includes(name)));
  const nearest = made.at(-1);
  return nearest === undefined ? null : artifactPath(run.run.item, nearest);
}
