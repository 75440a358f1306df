import type { EventDraft, RunEvent } from "../../schema/event.ts";
import { acceptanceHandlers } from "./acceptance.ts";
import { afterHandlers } from "./after-phase.ts";
import { attemptHandlers } from "./attempt.ts";
import { backHandlers } from "./going-back.ts";
import { runHandlers, startRun } from "./run-events.ts";
import { type ActiveRun, type EndedRun, noRun, type RunState } from "../run.ts";

type Type = EventDraft["type"];
export type EventOf<T extends Type> = Extract<RunEvent, { type: T }>;
export type Handlers<T extends Type> = {
  readonly [K in T]: (run: ActiveRun, event: EventOf<K>) => ActiveRun | EndedRun;
};

const handlers: Handlers<Exclude<Type, "run.started">> = {
  ...runHandlers,
  ...attemptHandlers,
  ...acceptanceHandlers,
  ...afterHandlers,
  ...backHandlers,
};

/** Applies an event and never refuses it. Policy is not evaluated here: its results are in the events. */
export function evolve(state: RunState, event: RunEvent): RunState {
  if (event.type === "run.started") return startRun(event);
  if (state.is !== "active") return state;
  const apply = handlers[event.type] as (run: ActiveRun, event: RunEvent) => ActiveRun | EndedRun; // keyed by `event.type`
  const next = apply(state, event);
  return next.seq === event.seq ? next : { ...next, seq: event.seq }; // most handlers set it, and a long journal has many events
}

/** True for every event type known to this version. */
export const isEventType = (type: string): boolean => type === "run.started" || Object.hasOwn(handlers, type);

export const replay = (events: readonly RunEvent[]): RunState => events.reduce(evolve, noRun);
