import type { ActiveRun } from "../core/run.ts";
import type { RunEvent } from "../schema/event.ts";
import { type AttemptId, attemptParts, type PhaseKey, type WaitId } from "../schema/ids.ts";
import type { PhaseRule } from "../schema/plan.ts";
import { plainLine } from "./plain-text.ts";

/** Returns the name of a phase, or its key if the phase is unknown. */
export type NamePhase = (key: PhaseKey) => string;

function namePhases(rules: readonly Pick<PhaseRule, "key" | "name">[]): NamePhase {
  const names = new Map(rules.map(({ key, name }) => [key, name]));
  return (key) => plainLine(names.get(key) ?? key);
}

/** Names the phases of a run. */
export const runPhases = ({ phases }: Pick<ActiveRun, "phases">): NamePhase =>
  namePhases(phases.map(({ rule }) => rule));

/** Names the phases planned by the first event. */
export function namePlanned(events: readonly RunEvent[]): NamePhase {
  const started = events.find((event) => event.type === "run.started");
  return namePhases(started?.plan ?? []);
}

/** Formats an attempt or an execution: `Test Strategy #2`, `Test Strategy #2.1`. */
export function attemptText(id: string, name: NamePhase): string {
  const at = id.indexOf("#");
  return at === -1 ? id : `${name(id.slice(0, at))} ${id.slice(at)}`;
}

/** Returns the name of the phase of an attempt or wait, or an empty text outside of phases. */
export function attemptPhase(id: AttemptId | WaitId | null, name: NamePhase): string {
  const parts = id === null ? null : attemptParts(id);
  return parts === null ? "" : name(parts.phase);
}
