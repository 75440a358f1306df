import type { Decision, Refusal } from "../core/command.ts";
import type { RunState } from "../core/run.ts";
import type { RunEvent } from "../schema/event.ts";
import type { RunId } from "../schema/ids.ts";

/** How far a journal goes: the last event's number and the hash over everything up to it. */
export type Head = { readonly seq: number; readonly hash: string };

export type Loaded = { readonly state: RunState; readonly head: Head };

export type Submitted =
  | { readonly ok: true; readonly state: RunState; readonly head: Head; readonly events: readonly RunEvent[] }
  | { readonly ok: false; readonly state: RunState; readonly head: Head; readonly refusal: Refusal };

/** The append-only record of runs. The only durable state the engine has. */
export interface Journal {
  /** The newest run of this working tree, open or ended; null when there was none. */
  newest(): RunId | null;
  /** What the journal says now. Takes no lock and ignores an unfinished last record. */
  load(run: RunId): Loaded;
  events(run: RunId): readonly RunEvent[];
  /**
   * Decides on what is really there and records the outcome; durable when it returns.
   * A refusal writes nothing.
   * @throws ProblemError when the journal is damaged or cannot be written; then nothing was recorded.
   */
  submit(run: RunId, decide: (state: RunState) => Decision): Promise<Submitted>;
  /** Like `submit`, for the first decision of a new run; refused while the newest run is open. */
  create(run: RunId, decide: (state: RunState) => Decision): Promise<Submitted>;
  /** Resolves when something was appended by anyone, or the signal is aborted. */
  changed(run: RunId, signal: AbortSignal): Promise<void>;
}
