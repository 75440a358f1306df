import { deriveAnalysisStatus, deriveBacklogMarker } from "../../core/items/analysis-status.ts";
import type { MetaFields } from "../../core/items/item-meta.ts";
import { isOwnPath } from "../../core/own-folder.ts";
import type { ActiveRun } from "../../core/run.ts";
import type { Engine } from "../engine.ts";
import { artifactPath } from "../../core/plan.ts";
import { featureDocuments, isFeature } from "./feature-record.ts";

/** Where the engine writes its documents. */
export type Records = Pick<Engine, "items" | "features">;

/** The documents that the engine writes about an item, which git carries. */
export function recordDocuments(run: ActiveRun): string[] {
  const { item } = run.run;
  if (isFeature(run)) return featureDocuments(item);
  return hasRecord(run) ? [artifactPath(item, "meta.json"), "BACKLOG.md"] : [];
}

/** What a commit of an item's record carries beside: its folder, with what was analysed before the run. */
export const recordFolders = (run: ActiveRun): string[] => (isFeature(run) || hasRecord(run) ? [run.run.item] : []);

/** Items live in the project's own folders; the private work folder of a small change is none. */
const hasRecord = (run: ActiveRun): boolean => !isOwnPath(run.run.item) && !isFeature(run);

/** Says in the item's record that a build began. */
export function recordBuildStart(engine: Engine, run: ActiveRun): void {
  if (!hasRecord(run) || run.run.scope === "item") return;
  engine.items.merge(run.run.item, { build_started_at: run.run.startedAt, workflow_type: run.run.workflow });
}

/** Brings the item's record up to what the run has done so far. */
export function recordAnalysis(engine: Records, run: ActiveRun): void {
  if (!hasRecord(run)) return;
  const analysis = run.phases.filter(({ rule }) => rule.analysis);
  if (analysis.length === 0) return;
  const accepted = analysis.filter(isAccepted(run));
  const done = [...new Set([...run.run.analysed, ...accepted.map(({ rule }) => rule.key)])].toSorted();
  const sizing = sizingFields(run);
  const status = deriveAnalysisStatus(done, sizing.sizing_decision);
  const hash = analysis.findLast((phase) => phase.firstCommit !== null)?.firstCommit ?? null;
  const known = hash === null ? {} : { codebase_hash: hash };
  const times = { phase_timestamps: completionTimes(accepted) };
  // A phase that is looked at once more changes nothing about what is done, however light the item was sized before.
  if (accepted.length > 0 && accepted.every(({ rule }) => run.run.analysed.includes(rule.key)))
    return engine.items.merge(run.run.item, { ...known, ...times });
  engine.items.merge(run.run.item, { phases_completed: done, analysis_status: status, ...known, ...sizing, ...times });
  engine.items.mark(run.run.item, deriveBacklogMarker(status));
}

/**
 * Says in the item's record that the build is done. What was analysed stays as it was. With a merge this is committed
 * before, so that the base gets work and record in one step; whoever cancels after a merge failed has it taken back.
 */
export function recordBuildEnd(engine: Records, run: ActiveRun): void {
  if (!hasRecord(run) || run.run.scope === "item") return;
  engine.items.merge(run.run.item, { build_completed_at: endOfWork(run) });
  engine.items.mark(run.run.item, "x");
}

/** The current phase counts: it is being accepted. */
const isAccepted =
  (run: ActiveRun) =>
  (phase: ActiveRun["phases"][number]): boolean =>
    phase.status === "completed" && !phase.dropped && run.phases.indexOf(phase) <= run.index;

const completionTimes = (phases: ActiveRun["phases"]): Record<string, string> =>
  Object.fromEntries(
    phases.flatMap(({ rule, completedAt }) => (completedAt === null ? [] : [[rule.key, completedAt] as const])),
  );

function sizingFields({ sizing }: ActiveRun): Pick<MetaFields, "sizing_decision"> {
  if (sizing === null) return {};
  const { effective, drop, at } = sizing;
  return { sizing_decision: { effective_intensity: effective, light_skip_phases: drop, decided_at: at } };
}

/** Said by the journal, so that repeating the step after a crash writes the same. */
export const endOfWork = ({ run, phases }: Pick<ActiveRun, "run" | "phases">): string =>
  phases.findLast(({ completedAt }) => completedAt !== null)?.completedAt ?? run.startedAt;
