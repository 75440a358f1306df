import type { EarlierState } from "../core/earlier-state.ts";
import type { RunState } from "../core/run.ts";
import { activeWorkflow } from "./state-file/active-workflow.ts";
import { phaseEntries } from "./state-file/phase-entries.ts";

export { historyEntry } from "./state-file/history-entry.ts";

export type StateFileInput = {
  /** The file as found; derived keys in it are replaced where they stand. */
  readonly user: Readonly<Record<string, unknown>>;
  readonly run: RunState;
  /** Ended runs, the newest last. */
  readonly history: readonly Readonly<Record<string, unknown>>[];
  readonly version: number;
  readonly counters: Readonly<Record<string, number>>;
  /** Of an earlier framework: its ended workflows come before ours, its counters are never gone below. */
  readonly earlier?: EarlierState | null;
};

const MAX_HISTORY = 50;

/** `state.json`: what the journal says, around the settings that belong to the person. */
export function projectStateFile(input: StateFileInput): Record<string, unknown> {
  const derived = new Map(Object.entries(derivedKeys(input)));
  const added = [...derived].filter(([key]) => !Object.hasOwn(input.user, key));
  const kept = Object.entries(input.user).map(([key, value]) => [key, derived.has(key) ? derived.get(key) : value]);
  return Object.fromEntries([...added, ...kept]) as Record<string, unknown>;
}

function derivedKeys({ run, history, version, counters, earlier }: StateFileInput): Record<string, unknown> {
  return {
    state_version: version,
    current_phase: run.is === "active" ? (run.phases[run.index]?.rule.key ?? null) : null,
    active_workflow: run.is === "active" ? activeWorkflow(run) : null,
    phases: run.is === "none" ? {} : phaseEntries(run),
    workflow_history: [...(earlier?.history ?? []), ...history].slice(-MAX_HISTORY),
    counters: highest(counters, earlier?.counters ?? {}),
  };
}

type Counters = StateFileInput["counters"];

function highest(ours: Counters, theirs: Counters): Record<string, number> {
  const names = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return Object.fromEntries([...names].map((name) => [name, Math.max(ours[name] ?? 0, theirs[name] ?? 0)]));
}
