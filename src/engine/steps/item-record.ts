import { deriveAnalysisStatus, deriveBacklogMarker } from "../../core/items/analysis-status.ts";
import type { MetaFields } from "../../core/items/item-meta.ts";
import type { ActiveRun } from "../../core/run.ts";
import type { Engine } from "../engine.ts";

/** Files of an item's record that a commit should carry along. */
export const recordFiles = (run: ActiveRun): string[] =>
  hasRecord(run) ? [`${run.run.item}/meta.json`, "BACKLOG.md"] : [];

/** Items live in the project's own folders; the private work folder of a small change is none. */
const hasRecord = ({ run }: ActiveRun): boolean => !run.item.startsWith(".isdlc/");

/** Says in the item's record that a build began. */
export function recordBuildStart(engine: Engine, run: ActiveRun): void {
  if (!hasRecord(run) || run.run.scope === "item") return;
  engine.items.merge(run.run.item, { build_started_at: run.run.startedAt, workflow_type: run.run.workflow });
}

/** Brings the item's record up to what the run has done so far. */
export function recordAnalysis(engine: Engine, run: ActiveRun): void {
  if (!hasRecord(run)) return;
  const analysis = run.phases.filter(({ rule }) => rule.analysis);
  if (analysis.length === 0) return;
  const done = [...run.run.analysed, ...analysis.filter(isAccepted(run)).map(({ rule }) => rule.key)];
  const sizing = sizingFields(run);
  const status = deriveAnalysisStatus(done, sizing.sizing_decision);
  const hash = analysis.findLast((phase) => phase.firstCommit !== null)?.firstCommit ?? null;
  const known = hash === null ? {} : { codebase_hash: hash };
  engine.items.merge(run.run.item, { phases_completed: done, analysis_status: status, ...known, ...sizing });
  engine.items.mark(run.run.item, deriveBacklogMarker(status));
}

/** Says in the item's record that the build is done. What was analysed stays as it was. */
export function recordBuildEnd(engine: Engine, run: ActiveRun): void {
  if (!hasRecord(run) || run.run.scope === "item") return;
  engine.items.merge(run.run.item, { build_completed_at: engine.clock.now() });
  engine.items.mark(run.run.item, "x");
}

/** The phase at hand counts: it is being accepted. */
const isAccepted =
  (run: ActiveRun) =>
  (phase: ActiveRun["phases"][number]): boolean =>
    phase.status === "completed" && !phase.dropped && run.phases.indexOf(phase) <= run.index;

function sizingFields({ sizing }: ActiveRun): Pick<MetaFields, "sizing_decision"> {
  if (sizing === null) return {};
  const { effective, drop, at } = sizing;
  return { sizing_decision: { effective_intensity: effective, light_skip_phases: drop, decided_at: at } };
}
