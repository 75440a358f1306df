import { attentionFor } from "../../core/changes/attention.ts";
import { spentBy } from "../../core/budget.ts";
import { ownValue } from "../../core/own-value.ts";
import { type ActiveRun, currentPhase, type EndedRun } from "../../core/run.ts";
import type { TreeLocation, RunRow } from "../../schema/api.ts";
import { finishedRun } from "../metrics.ts";
import { statusWord } from "../status.ts";

export type RunPlace = { readonly place: TreeLocation; readonly isDriven: boolean };

/** Builds a row from the journal of a run. */
export function runRow(run: ActiveRun | EndedRun, { place, isDriven }: RunPlace): RunRow {
  const phase = run.is === "active" ? currentPhase(run) : undefined;
  const kept = run.phases.filter(({ dropped }) => !dropped);
  return {
    id: run.run.run,
    workflow: run.run.workflow,
    title: run.run.title,
    item: run.run.item,
    place,
    status: statusWord(run, isDriven),
    branch: run.run.git?.branch ?? null,
    phase: phase === undefined ? null : { key: phase.rule.key, name: phase.rule.name },
    progress: { done: kept.filter(isDone).length, total: kept.length },
    startedAt: run.run.startedAt,
    endedAt: run.is === "ended" ? run.endedAt : null,
    wait: run.is === "active" ? openWait(run) : null,
    usage: spentBy(run),
    redos: run.phases.reduce((sum, { redos }) => sum + redos, 0),
  };
}

const isDone = ({ status }: { readonly status: string }): boolean => status === "completed" || status === "skipped";

function openWait(run: ActiveRun): RunRow["wait"] {
  if (run.wait === null) return null;
  const { id, kind, openedAt } = run.wait;
  const toRead = kind === "gate" ? attentionFor(currentPhase(run)?.made ?? null) : { lines: null, minutes: null };
  return { id, kind, since: openedAt, toRead };
}

/** Builds a row from the history entry of an ended run: faster than its journal, and enough for a list. */
export function endedRow(id: string, entry: unknown, place: TreeLocation): RunRow {
  const { workflow, title, endedAt, how, metrics } = finishedRun(id, entry, place.item);
  const number = (name: string): number => {
    const value = ownValue(ownValue(entry, "metrics"), name);
    return typeof value === "number" ? value : 0;
  };
  const words = (name: string): string | null => {
    const value = ownValue(entry, name);
    return typeof value === "string" ? value : null;
  };
  const branch = ownValue(ownValue(entry, "git_branch"), "name");
  return {
    id,
    workflow: workflow ?? "unknown",
    title: title ?? id,
    item: words("artifact_folder") ?? "",
    place,
    status: how === "cancelled" ? "cancelled" : "completed",
    branch: typeof branch === "string" ? branch : null,
    phase: null,
    progress: { done: number("phases_completed"), total: number("total_phases") },
    startedAt: words("started_at") ?? endedAt ?? "",
    endedAt,
    wait: null,
    usage: { input: metrics.tokens, output: null, usd: metrics.usd },
    redos: metrics.redos ?? 0,
  };
}
