import type { EarlierState } from "../core/earlier-state.ts";
import type { SettingsReading } from "../schema/facts.ts";
import type { RunId, WaitId } from "../schema/ids.ts";

/** The hot file a hook reads: small, rewritten whole, present only while a run is open. */
export type ActiveMarker = {
  readonly run: RunId;
  /** Last event when the step at hand began, or the run came to rest. */
  readonly seq: number;
  readonly phase: string | null;
  readonly attempt: string | null;
  readonly item: string;
  readonly writes: "item" | "tests" | "tree" | "nothing";
  readonly wait: WaitId | null;
  /** The session that works on the phase; null where none does. */
  readonly session: string | null;
  /** Documents the current work must leave, relative to the working tree. */
  readonly outputs: readonly string[];
  /** Documents of phases that are still to come. */
  readonly later: readonly string[];
};

/** `state.json` as found, in order, and the version it carried. */
export type StateFile = {
  readonly user: Readonly<Record<string, unknown>>;
  readonly version: number;
  /** What an earlier framework had recorded before isdlc wrote the file for the first time. */
  readonly earlier: EarlierState | null;
};

/** The files people and tools look at beside the journal. All of it can be rendered again; nothing here is the truth about a run. */
export interface Projections {
  /** Creates `.isdlc/` with its own ignore file; says what it wrote. Doing it again changes nothing. */
  setUp(): readonly string[];
  /** Contents of the working tree's state.json; undefined when there is none, null when it cannot be understood. */
  stateFile(): unknown;
  /** `supervised_mode` as it stands there now; it holds for every run, analyses of items included. */
  settings(): SettingsReading;
  /** What an earlier framework had recorded in this working tree; null where it had recorded nothing. */
  earlier(): EarlierState | null;
  /** Puts keys of the person into the working tree's state.json. Returns a warning as `writeStateFile` does. */
  writeSettings(change: (user: StateFile["user"]) => Record<string, unknown>): string | null;
  /** Makes sure that the folder for a run's artifacts exists, inside the working tree. */
  makeFolder(item: string): void;
  /**
   * Writes what `render` makes of the state.json of this run. Where somebody else had changed our part, or the file was
   * damaged, their version is kept beside it and the warning to show comes back.
   */
  writeStateFile(render: (found: StateFile) => Record<string, unknown>): string | null;
  /** True while the marker of an open run is there. */
  isActive(): boolean;
  writeActive(marker: ActiveMarker | null): void;
  /** Path of the summary, relative to the working tree. */
  writeSummary(name: string, text: string): string;
  /** Keeps one entry per ended run; the newest come last. */
  recordEnded(run: RunId, entry: Record<string, unknown>): void;
  /** Runs with such an entry, oldest first. */
  endedRuns(): readonly RunId[];
  /** Null when it is not one of ours: damaged, too large, a link. */
  endedEntry(run: RunId): Record<string, unknown> | null;
  /** Text of an artifact, contained in the working tree; null when it is not there or no plain, small file. */
  readArtifact(path: string): string | null;
  /** Names of item folders below a root of this working tree. */
  itemNames(root: string): readonly string[];
}
