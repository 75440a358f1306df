import { artifactPath } from "../../core/plan.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import type { Verdict } from "../../schema/agent.ts";
import type { Engine } from "../engine.ts";

/** Returns a verdict without a model if an input of the phase is missing or empty; otherwise null. */
export function missingPredecessor({ projections }: Pick<Engine, "projections">, run: ActiveRun): Verdict | null {
  const path = findPredecessor(run) ?? emptyInput(projections, run);
  if (path === null || isFilled(projections, path)) return null;
  const description = `${path} is missing or empty, and this phase builds on it.`;
  const issues = [{ severity: "blocker" as const, description, location: path }];
  return { approved: false, issues, summary: "Not judged: what the phase builds on is missing." };
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
