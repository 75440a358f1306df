import type { EarlierState } from "../core/items/earlier-state.ts";
import type { SettingsReading } from "../schema/facts.ts";
import type { RunId, WaitId } from "../schema/ids.ts";

/** File read by hooks on every call: small, always rewritten as a whole, exists only while a run is open. */
export type ActiveMarker = {
  readonly run: RunId;
  /** Last event when the current step started, or when the run started to wait or ended. */
  readonly seq: number;
  readonly phase: string | null;
  readonly attempt: string | null;
  readonly item: string;
  readonly writes: "item" | "tests" | "tree" | "nothing";
  readonly wait: WaitId | null;
  /** Session that works on the phase, if any. */
  readonly session: string | null;
  /** Required documents of the current work, relative to the working tree. */
  readonly outputs: readonly string[];
  /** Documents of later phases. */
  readonly later: readonly string[];
};

/** Content of `state.json`, with keys in order, and its version. */
export type StateFile = {
  readonly user: Readonly<Record<string, unknown>>;
  readonly version: number;
  /** State recorded by an earlier framework before isdlc first wrote the file. */
  readonly earlier: EarlierState | null;
};

/** Files for users and tools next to the journal. All can be rendered again; none is authoritative for a run. */
export interface Projections {
  /** Creates `.isdlc/` with its own ignore file and returns the written paths. Repeated calls change nothing. */
  setUp(): readonly string[];
  /** Reads the working tree's state.json. Returns undefined if it is missing, null if it is unreadable. */
  stateFile(): unknown;
  /** Reads the current `supervised_mode`. It applies to every run, including analyses of items. */
  settings(): SettingsReading;
  /** Returns the state recorded by an earlier framework in this working tree, if any. */
  earlier(): EarlierState | null;
  /** Writes keys of the user to the working tree's state.json. Returns a warning as `writeStateFile` does. */
  writeSettings(change: (user: StateFile["user"]) => Record<string, unknown>): string | null;
  /** Creates the folder for a run's artifacts inside the working tree, if it does not exist. */
  makeFolder(item: string): void;
  /**
   * Writes the result of `render` to state.json. If someone else changed isdlc's keys, or if the file was damaged,
   * saves the other version next to it and returns a warning to display.
   */
  writeStateFile(render: (found: StateFile) => Record<string, unknown>): string | null;
  /** Returns true if the marker of an open run exists. */
  isActive(): boolean;
  writeActive(marker: ActiveMarker | null): void;
  /** Writes a summary. Returns its path, relative to the working tree. */
  writeSummary(name: string, text: string): string;
  /** Stores one entry for each ended run, the newest last. */
  recordEnded(run: RunId, entry: Record<string, unknown>): void;
  /** Returns the runs with an entry, oldest first. */
  endedRuns(): readonly RunId[];
  /** Returns null if the entry is not from isdlc: damaged, too large, or a link. */
  endedEntry(run: RunId): Record<string, unknown> | null;
  /** Reads an artifact inside the working tree. Returns null if it is missing, or not a small plain file. */
  readArtifact(path: string): string | null;
  /** Returns the names of item folders in a root folder of this working tree. */
  itemNames(root: string): readonly string[];
}
