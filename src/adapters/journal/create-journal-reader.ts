import { ProblemError } from "../../core/problem.ts";
import type { LocalJournal, Seal } from "../../ports/journal.ts";
import { errorCode, nodeFiles, type FileSystem } from "../files/file-system.ts";
import type { Anchors } from "../files/anchors.ts";
import { checkBySeal, type EventCheck } from "./record.ts";
import { eventsOfRun, partOfRun } from "./read-events.ts";
import { loadRun, type LatestRun, newestLoaded, newestRun } from "./read-run.ts";
import type { JournalStore } from "./run-file.ts";
import type { Clock } from "../../ports/processes.ts";

export type JournalReaderOptions = {
  /** `.isdlc/journal`, created with the first run. */
  readonly directory: string;
  readonly anchors: Anchors;
  readonly seal: Seal;
  /** Check of events in addition to the seal. Written events always match the schema. */
  readonly check?: EventCheck;
  readonly clock: Clock;
  /** Version of the program. Snapshots of other versions are skipped; without a version, none are written or used. */
  readonly version?: string;
  readonly files?: FileSystem;
};

export type JournalReader = Pick<LocalJournal, "newest" | "load" | "events" | "part"> & {
  /** Returns the newest run with its state. Null if there was no run. */
  current(): LatestRun | null;
};

/** Creates a reader of journals. Separate from the writer, for programs that must start fast. */
export const createJournalReader = (options: JournalReaderOptions): JournalReader => createReader(createStore(options));

export function createStore({ check = checkBySeal, ...options }: JournalReaderOptions): JournalStore {
  const { directory, seal, anchors, clock, version, files = nodeFiles } = options;
  const known = { known: new Map(), seen: new Map() };
  return { place: { directory, files }, seal, check, anchors, clock, version: version ?? null, ...known };
}

export function createReader(store: JournalStore): JournalReader {
  const { directory } = store.place;
  return {
    newest: () => reading(directory, () => newestRun(store)),
    load: (run) => reading(directory, () => loadRun(store, run)),
    events: (run) => reading(directory, () => eventsOfRun(store, run)),
    part: (run, part) => reading(directory, () => partOfRun(store, run, part)),
    current: () => reading(directory, () => newestLoaded(store)),
  };
}

/** Reports system errors during a read as problems of the journal. */
export function reading<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = errorCode(error);
    if (code === null) throw error;
    throw new ProblemError(
      { code: "JOURNAL_CORRUPT", file, line: 0, detail: `it cannot be read (${code})` },
      { cause: error },
    );
  }
}
