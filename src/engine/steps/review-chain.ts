import { artifactPath } from "../../core/plan.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import type { Verdict } from "../../schema/agent.ts";
import type { Engine } from "../engine.ts";

/** A verdict that needs no model: what the phase builds on is gone or empty. Null while the chain holds. */
export function missingPredecessor({ projections }: Pick<Engine, "projections">, run: ActiveRun): Verdict | null {
  const path = findPredecessor(run) ?? emptyInput(projections, run);
  if (path === null || isFilled(projections, path)) return null;
  const description = `${path} is missing or empty, and this phase builds on it.`;
  const issues = [{ severity: "blocker" as const, description, location: path }];
  return { approved: false, issues, summary: "Not judged: what the phase builds on is missing." };
}

/** Where this run made none: the nearest input that was left empty. That others are absent was resolved before. */
function emptyInput(projections: Engine["projections"], run: ActiveRun): string | null {
  const wanted = currentPhase(run)?.rule.inputs ?? [];
  const there = projections.itemNames(run.run.item);
  const paths = wanted.filter((name) => there.includes(name)).map((name) => artifactPath(run.run.item, name));
  return paths.findLast((path) => !isFilled(projections, path)) ?? null;
}

const isFilled = (projections: Engine["projections"], path: string): boolean =>
  (projections.readArtifact(path) ?? "").trim() !== "";

/** What the nearest earlier phase of this run made and this one takes; phases left out do not count. */
function findPredecessor(run: ActiveRun): string | null {
  const wanted = currentPhase(run)?.rule.inputs ?? [];
  const made = run.phases
    .slice(0, run.index)
    .filter(({ status, dropped }) => status === "completed" && !dropped)
    .flatMap(({ rule }) => rule.outputs.filter((name) => wanted.includes(name)));
  const nearest = made.at(-1);
  return nearest === undefined ? null : artifactPath(run.run.item, nearest);
}
