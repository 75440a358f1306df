import { deriveAnalysisStatus, deriveBacklogMarker } from "../../core/items/analysis-status.ts";
import type { MetaFields } from "../../core/items/item-meta.ts";
import { isLastPhase } from "../../core/changes/last-reviewed-tree.ts";
import { isOwnPath } from "../../core/own-folder.ts";
import type { ActiveRun } from "../../core/run.ts";
import type { EditedDocuments } from "../../ports/vcs.ts";
import type { Engine } from "../engine.ts";
import { artifactPath } from "../../core/plan.ts";
import { featureDocuments, isFeature, recordPhaseEnd } from "./feature-record.ts";

/** Ports for the engine's documents. */
export type Records = Pick<Engine, "items" | "features">;

/** Lists the engine's documents about an item that git tracks. */
export function recordDocuments(run: ActiveRun): string[] {
  const { item } = run.run;
  if (isFeature(run)) return featureDocuments(item);
  return hasRecord(run) ? [artifactPath(item, "meta.json"), "BACKLOG.md"] : [];
}

/** Writes the engine's documents a second time, in a folder written by nothing else. */
export const collectDocuments = (
  engine: Engine,
  run: ActiveRun,
  write: (engine: Engine) => void | Promise<void>,
): EditedDocuments => ({
  paths: recordDocuments(run),
  edit: (folder) => write({ ...engine, ...engine.recordsIn(folder) }),
});

/**
 * Records the current phase, which counts as accepted. If phases have commits, accepting the last one also records the
 * end of the build: its commit is merged as it was shown.
 */
export async function recordAcceptance(engine: Engine, run: ActiveRun): Promise<void> {
  recordAnalysis(engine, run);
  await recordPhaseEnd(engine, run);
  if (run.run.options.commits === "phase" && isLastPhase(run)) recordBuildEnd(engine, run);
}

/** Returns the item's folder, to commit it with any earlier analysis in it; empty for a small change. */
export const recordFolders = (run: ActiveRun): string[] => (isFeature(run) || hasRecord(run) ? [run.run.item] : []);

/** True for an item in a folder of the project; a small change has a private work folder instead. */
const hasRecord = (run: ActiveRun): boolean => !isOwnPath(run.run.item) && !isFeature(run);

/** Records the start of a build. */
export function recordBuildStart(engine: Engine, run: ActiveRun): void {
  if (!hasRecord(run) || run.run.scope === "item") return;
  engine.items.merge(run.run.item, { build_started_at: run.run.startedAt, workflow_type: run.run.workflow });
}

/** Updates the item's record with the progress of the run. */
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
  // Repeating a phase leaves completed phases, status and sizing unchanged, whatever size the item has.
  if (accepted.length > 0 && accepted.every(({ rule }) => run.run.analysed.includes(rule.key)))
    return engine.items.merge(run.run.item, { ...known, ...times });
  engine.items.merge(run.run.item, { phases_completed: done, analysis_status: status, ...known, ...sizing, ...times });
  engine.items.mark(run.run.item, deriveBacklogMarker(status));
}

/**
 * Records the end of the build; the analysis part stays unchanged. It is committed before the merge, to bring work and
 * record to the base in one step. If the user cancels instead, it is reverted.
 */
export function recordBuildEnd(engine: Records, run: ActiveRun): void {
  if (!hasRecord(run) || run.run.scope === "item") return;
  engine.items.merge(run.run.item, { build_completed_at: endOfWork(run) });
  engine.items.mark(run.run.item, "x");
}

/** True for a completed phase, including the current one, which is being accepted. */
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

/** Reads the time from the journal to write the same value when the step is repeated after a crash. */
export const endOfWork = ({ run, phases }: Pick<ActiveRun, "run" | "phases">): string =>
  phases.findLast(({ completedAt }) => completedAt !== null)?.completedAt ?? run.startedAt;
