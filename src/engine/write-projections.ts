import { currentAttempt, claimedSession } from "../core/next.ts";
import { OWN, ownPath } from "../core/own-folder.ts";
import { resolveOutputs } from "../core/plan.ts";
import { type ActiveRun, currentPhase, type EndedRun, type PhaseRecord, type RunState } from "../core/run.ts";
import type { ActiveMarker } from "../ports/projections.ts";
import type { Head } from "../ports/journal.ts";
import { historyEntry, projectStateFile } from "../views/state-file/state-file.ts";
import { renderPhaseSummary, summaryFileName, buildSummaryData } from "../views/summary.ts";
import type { Engine } from "./engine.ts";

type ProjectionTarget = Pick<Engine, "projections">;

/**
 * Writes all projections of a run that waits or ended. Failures are returned as warnings; projections can be written
 * again at any time.
 */
export function writeProjections(engine: ProjectionTarget, state: RunState, head: Head): readonly string[] {
  if (state.is === "none") return [];
  const warnings: string[] = [];
  const attempt = (what: string, write: () => void): void => void warnings.push(...attempted(what, write));
  if (state.is === "active") attempt("The summary", () => writeSummary(engine, state));
  if (state.is === "ended")
    attempt("The history", () => engine.projections.recordEnded(state.run.run, historyEntry(state)));
  attempt("state.json", () => warnings.push(...writeStateFile(engine, state)));
  return [...warnings, ...writeActive(engine, state, head)];
}

/** Writes only the marker of the open run, which must be current at every step. */
export const writeActive = (engine: ProjectionTarget, state: RunState, head: Head): readonly string[] =>
  attempted(ownPath(OWN.active), () =>
    engine.projections.writeActive(state.is === "active" ? marker(state, head) : null),
  );

function attempted(what: string, write: () => void): readonly string[] {
  try {
    write();
    return [];
  } catch (error) {
    return [`${what} could not be written: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function writeSummary(engine: ProjectionTarget, run: ActiveRun): void {
  const phase = currentPhase(run);
  if (run.wait?.kind !== "gate" || phase === undefined) return;
  const keys = run.phases.map(({ rule }) => rule.key);
  const text = renderPhaseSummary(buildSummaryData(run, phase.rule.key), { minimal: run.run.minimalSummary });
  engine.projections.writeSummary(summaryFileName(keys, phase.rule.key), text);
}

/** Maximum number of ended runs in `state.json`, to keep it small. */
const MAX_ENDED = 50;

function writeStateFile(engine: ProjectionTarget, run: ActiveRun | EndedRun): string[] {
  const recent = engine.projections.endedRuns().slice(-MAX_ENDED);
  const history = recent.map((ended) => engine.projections.endedEntry(ended)).filter((entry) => entry !== null);
  const counters = { next_req_id: nextId(engine, "REQ"), next_bug_id: nextId(engine, "BUG") };
  const warning = engine.projections.writeStateFile(({ user, version, earlier }) =>
    projectStateFile({ user, run, history, version: version + 1, counters, earlier }),
  );
  return warning === null ? [] : [warning];
}

function nextId(engine: ProjectionTarget, prefix: string): number {
  const numbers = engine.projections.itemNames("docs/requirements").map((name) => parseNumber(name, prefix));
  return Math.max(0, ...numbers) + 1;
}

/** Returns 12 for `REQ-0012-login` and prefix REQ; 0 for other names. */
export function parseNumber(name: string, prefix: string): number {
  const match = /^([A-Z]+)-([0-9]{1,6})(?:-|$)/.exec(name);
  return match !== null && match[1] === prefix ? Number(match[2]) : 0;
}

function marker(run: ActiveRun, head: Head): ActiveMarker {
  const phase = currentPhase(run);
  const paths = (phases: readonly PhaseRecord[]): string[] =>
    phases.flatMap(({ rule }) => resolveOutputs(rule, run.run.item));
  const made = new Set(paths(run.phases.slice(0, run.index + 1)));
  return {
    run: run.run.run,
    seq: head.seq,
    phase: phase?.rule.key ?? null,
    attempt: currentAttempt(run),
    item: run.run.item,
    writes: currentWrites(run),
    wait: run.wait?.id ?? null,
    session: claimedSession(run)?.id ?? null,
    outputs: phase === undefined || run.stage.is !== "producing" ? [] : resolveOutputs(phase.rule, run.run.item),
    later: [...new Set(paths(run.phases.slice(run.index + 1)))].filter((path) => !made.has(path)),
  };
}

function currentWrites({ wait, stage, phases, index }: ActiveRun): ActiveMarker["writes"] {
  if (wait !== null) return "nothing";
  if (stage.is === "refining") return "item";
  return stage.is === "producing" ? (phases[index]?.rule.writes ?? "nothing") : "nothing";
}
