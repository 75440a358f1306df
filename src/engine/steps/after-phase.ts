import type { Outcome, Report } from "../../core/command.ts";
import { artifactPath } from "../../core/plan.ts";
import { currentPhase } from "../../core/run.ts";
import { parseFallbackMetrics, parseSizingFromImpactAnalysis, sizingOf } from "../../core/sizing.ts";
import { readTaskList } from "../../core/task-list.ts";
import type { SizingMetrics } from "../../schema/facts.ts";
import type { Engine } from "../engine.ts";
import type { Task } from "../perform.ts";
import { TASKS_FILE, tasksPrompt } from "../prompt.ts";
import { work } from "./executions.ts";
import { commitPaths } from "./repository.ts";

/** Reads how large the work is from what the analysis wrote. */
export function measureWork(engine: Engine, { run }: Task): Promise<Outcome> {
  const read = (name: string): string | null => engine.projections.readArtifact(artifactPath(run.run.item, name));
  const sources: readonly [string, SizingMetrics | null][] = [
    ["impact-analysis", parseSizingFromImpactAnalysis(read("impact-analysis.md"))],
    ["quick-scan", parseFallbackMetrics(read("quick-scan.md"))],
    ["requirements-spec", parseFallbackMetrics(read("requirements-spec.md"))],
  ];
  const [source, metrics] = sources.find(([, found]) => found !== null) ?? [null, null];
  return Promise.resolve({ of: "measure", sizing: sizingOf({ metrics, source }, run.run.options.thresholds) });
}

/** Lets the designer break the accepted design into tasks; code judges the list. */
export async function refineTasks(engine: Engine, { run }: Task, signal: AbortSignal): Promise<Report | null> {
  const { stage } = run;
  const phase = currentPhase(run);
  if (stage.is !== "refining" || phase === undefined) return null;
  const artifact = artifactPath(run.run.item, TASKS_FILE);
  const assignment = {
    role: "phase" as const,
    persona: engine.persona(phase.rule.persona),
    prompt: tasksPrompt(run, phase, stage.brief),
    access: "write" as const,
    cwd: engine.root,
    session: stage.work.session,
    iteration: stage.work.failures + 1,
    artifacts: [artifact],
  };
  const job = { run, phase, claim: stage.claim, backend: engine.agents.phase(phase.rule.key) };
  const report = await work(engine, job, { assignment, signal });
  if (report === null || report.outcome.of !== "produce" || "failed" in report.outcome) return report;
  const { execution, usage, session, result } = report.outcome;
  const { tasks, problems } = readTaskList(engine.projections.readArtifact(artifact) ?? "");
  const faults = result.status === "done" ? problems : [`The agent did not finish: ${result.summary}`];
  if (faults.length === 0)
    await commitPaths(engine, run, {
      subject: `Tasks: ${run.run.title}`,
      attempt: `${run.run.run}/${execution}`,
      paths: [artifact],
    });
  const outcome: Outcome = { of: "refine", artifact, tasks: tasks.length, problems: faults, execution, usage, session };
  return { ...report, outcome };
}
