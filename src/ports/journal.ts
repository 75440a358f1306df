import type { Command, Decision, Refusal, StartCommand } from "../core/command.ts";
import type { RunState } from "../core/run.ts";
import type { RunEvent } from "../schema/event.ts";
import type { RunId } from "../schema/ids.ts";

/** Position in a journal: number of the last event, and hash of everything up to it. */
export type Head = { readonly seq: number; readonly hash: string };

export type LoadedRun = { readonly state: RunState; readonly head: Head };

export type CurrentRunState = LoadedRun & { readonly run: RunId };

export type SubmitResult =
  | { readonly ok: true; readonly state: RunState; readonly head: Head; readonly events: readonly RunEvent[] }
  | { readonly ok: false; readonly state: RunState; readonly head: Head; readonly refusal: Refusal };

/** Decision function used by a journal. Passed in to keep it out of programs that only read. */
export type Decide = (state: RunState, command: Command) => Decision;

/** Direct value for a local journal, promise for a remote one. */
type Awaitable<T> = T | Promise<T>;

/** Append-only record of runs, and the only durable state of the engine. */
export interface Journal {
  /** Returns the newest run of this working tree, open or ended, if any. */
  newest(): Awaitable<RunId | null>;
  /** Returns the newest run and its state in one read, if any. */
  current(): Awaitable<CurrentRunState | null>;
  /** Reads the current state. Takes no lock and ignores an incomplete last record. */
  load(run: RunId): Awaitable<LoadedRun>;
  events(run: RunId): Awaitable<readonly RunEvent[]>;
  /**
   * Decides on the command from the current records and appends the events, which are durable on return. A refusal
   * writes nothing.
   * @throws ProblemError if the journal is damaged or not writable. Nothing was recorded then.
   */
  submit(run: RunId, command: Command): Promise<SubmitResult>;
  /** Like `submit`, for the command that starts a new run. Refused while the newest run is open. */
  create(run: RunId, start: StartCommand): Promise<SubmitResult>;
  /** Resolves if any process appended a record, or if the signal is aborted. */
  changed(run: RunId, signal: AbortSignal): Promise<void>;
}

/** Journal on this machine, with synchronous reads. */
export interface LocalJournal extends Journal {
  newest(): RunId | null;
  current(): CurrentRunState | null;
  load(run: RunId): LoadedRun;
  events(run: RunId): readonly RunEvent[];
  /** Returns some of the events without reading the earlier ones. */
  part(run: RunId, part: EventRange): readonly RunEvent[];
}

/** Range of at most `most` events, starting with number `from`. */
export type EventRange = { readonly from: number; readonly most: number };

/** Authenticates journal records of allowed writers. A user's key is one implementation. */
export interface Seal {
  /** Returns the seal of a hash: 32 to 200 letters, digits, `-`, `_` or `.`. */
  mark(hash: string): string;
  /**
   * Returns true if the mark seals this hash. `text` is the sealed content, for seals that restrict which content a
   * key may sign.
   */
  fits(hash: string, mark: string, text: string): boolean;
}
