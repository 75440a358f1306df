import type { Command, Decision, Refusal, StartCommand } from "../core/command.ts";
import type { RunState } from "../core/run.ts";
import type { RunEvent } from "../schema/event.ts";
import type { RunId } from "../schema/ids.ts";

/** How far a journal goes: the last event's number and the hash over everything up to it. */
export type Head = { readonly seq: number; readonly hash: string };

export type LoadedRun = { readonly state: RunState; readonly head: Head };

export type CurrentRunState = LoadedRun & { readonly run: RunId };

export type SubmitResult =
  | { readonly ok: true; readonly state: RunState; readonly head: Head; readonly events: readonly RunEvent[] }
  | { readonly ok: false; readonly state: RunState; readonly head: Head; readonly refusal: Refusal };

/** The rules that a journal records by; handed to it, so that programs which only read need not carry them. */
export type Decide = (state: RunState, command: Command) => Decision;

/** At once from a journal on this machine, later from one elsewhere. */
type Awaitable<T> = T | Promise<T>;

/** The append-only record of runs. The only durable state the engine has. */
export interface Journal {
  /** The newest run of this working tree, open or ended; null when there was none. */
  newest(): Awaitable<RunId | null>;
  /** The newest run together with what its journal says, read once; null when there was none. */
  current(): Awaitable<CurrentRunState | null>;
  /** What the journal says now. Takes no lock and ignores an unfinished last record. */
  load(run: RunId): Awaitable<LoadedRun>;
  events(run: RunId): Awaitable<readonly RunEvent[]>;
  /**
   * Decides on the command by what is really there, and records the outcome; durable when it returns.
   * A refusal writes nothing.
   * @throws ProblemError when the journal is damaged or cannot be written; then nothing was recorded.
   */
  submit(run: RunId, command: Command): Promise<SubmitResult>;
  /** Like `submit`, for the command that opens a new run; refused while the newest run is open. */
  create(run: RunId, start: StartCommand): Promise<SubmitResult>;
  /** Resolves when something was appended by anyone, or the signal is aborted. */
  changed(run: RunId, signal: AbortSignal): Promise<void>;
}

/** A journal on this machine: read without waiting. */
export interface LocalJournal extends Journal {
  newest(): RunId | null;
  current(): CurrentRunState | null;
  load(run: RunId): LoadedRun;
  events(run: RunId): readonly RunEvent[];
  /** Some of the events, without reading those that come before. */
  part(run: RunId, part: EventRange): readonly RunEvent[];
}

/** Events by their numbers: `most` of them from `from` on. */
export type EventRange = { readonly from: number; readonly most: number };
