import type { Outcome, Report } from "../../core/command.ts";
import { artifactPath } from "../../core/plan.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import { parseFallbackMetrics, parseSizingFromImpactAnalysis, computeSizing } from "../../core/sizing.ts";
import { readTaskList } from "../../core/task-list.ts";
import type { SizingMetrics } from "../../schema/facts.ts";
import type { Engine, Task } from "../engine.ts";
import { TASKS_FILE } from "../prompt.ts";
import { writingAssignment } from "./assignments.ts";
import { work } from "./executions.ts";

/** Reads the size of the work from the documents of the analysis. */
export function measureWork(engine: Engine, { run }: Task): Promise<Outcome> {
  const read = (name: string): string | null => engine.projections.readArtifact(artifactPath(run.run.item, name));
  const sources: readonly [string, SizingMetrics | null][] = [
    ["impact-analysis", parseSizingFromImpactAnalysis(read("impact-analysis.md"))],
    ["quick-scan", parseFallbackMetrics(read("quick-scan.md"))],
    ["requirements-spec", parseFallbackMetrics(read("requirements-spec.md"))],
  ];
  // An analysis with no files is unreadable or empty.
  const [source, metrics] = sources.find(([, found]) => (found?.file_count ?? 0) > 0) ?? [null, null];
  return Promise.resolve({ of: "measure", sizing: computeSizing({ metrics, source }, run.run.options.thresholds) });
}

/** Has the designer break the accepted design into tasks, then checks the list. */
export async function refineTasks(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Report | null> {
  const { stage } = run;
  const phase = currentPhase(run);
  if (stage.is !== "refining" || phase === undefined) return null;
  const assignment = await writingAssignment(engine, run);
  if (assignment === null) return null;
  const job = { run, phase, claim: stage.claim, backend: engine.agents.phase(phase.rule.key) };
  const report = await work(engine, job, { assignment, signal });
  if (report === null || report.outcome.of !== "produce" || "failed" in report.outcome) return report;
  return { ...report, outcome: judgeTasks(engine, run, report.outcome) };
}

type ProducedOutcome = Exclude<Extract<Outcome, { of: "produce" }>, { failed: string }>;

/** Checks the task list reported by an agent. The next commit contains the list. */
export function judgeTasks(engine: Engine, run: ActiveRun, produced: ProducedOutcome): Outcome {
  const { execution, usage, session, result } = produced;
  const artifact = artifactPath(run.run.item, TASKS_FILE);
  const { tasks, problems } = readTaskList(engine.projections.readArtifact(artifact) ?? "");
  const faults = result.status === "done" ? problems : [`The agent did not finish: ${result.summary}`];
  return { of: "refine", artifact, tasks: tasks.length, problems: faults, execution, usage, session };
}
