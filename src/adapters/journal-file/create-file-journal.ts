import { join } from "node:path";
import type { Decision } from "../../core/command.ts";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import type { Decide, LocalJournal } from "../../ports/journal.ts";
import { errorCode, folderExists, discardFile } from "../file-system/file-system.ts";
import { createFileLock } from "../file-lock/file-lock.ts";
import { systemLockProcesses, type LockProcesses } from "../file-lock/lock-processes.ts";
import { createStore, type JournalReaderOptions, readerOf, reading } from "./create-journal-reader.ts";
import { createRun } from "./create-run.ts";
import { watchRun } from "./watch-run.ts";
import {
  endedFolder,
  ensurePlace,
  journalFile,
  placeExists,
  stateFolder,
  type JournalLocation,
} from "./journal-location.ts";
import { loadRun } from "./read-run.ts";
import { decideWithoutRun, submitDecision } from "./submit-decision.ts";

export type FileJournalOptions = JournalReaderOptions & {
  readonly decide: Decide;
  readonly processes?: LockProcesses;
  /** How long to wait for other writers, in milliseconds. */
  readonly patience?: number;
};

export type FileJournal = LocalJournal & {
  /** Removes this instance's lock file; happens by itself when the process ends. */
  close(): void;
};

/** Journals as files: one line is one decision, one writer at a time, synced before anybody is told. */
export function createFileJournal(options: FileJournalOptions): FileJournal {
  const { directory, decide, patience = 10_000 } = options;
  const store = createStore(options);
  const { place } = store;
  const reader = readerOf(store);
  const { newest, load, events, part } = reader;
  const alone = createMutex(place, { processes: options.processes ?? systemLockProcesses(), patience });
  return {
    newest,
    current: () => reader.current(),
    load,
    events,
    part,
    async submit(run, command) {
      const decided = (state: RunState): Decision => decide(state, command);
      const file = journalFile(place, run);
      if (reading(directory, () => placeExists(place)))
        return await alone.enter(file, () => submitDecision(store, run, decided));
      reading(directory, () => loadRun(store, run));
      return decideWithoutRun(run, decided);
    },
    async create(run, start) {
      const file = journalFile(place, run);
      writing(file, () => ensurePlace(place));
      return await alone.enter(file, () => createRun(store, run, () => decide(noRun, start)));
    },
    changed: (run, signal) => watchRun(store, run, signal),
    close: () => alone.close(),
  };
}

type Mutex = {
  /** Does the work while no other process writes. The work never waits, so neither does anybody long. */
  enter<T>(file: string, work: () => T): Promise<T>;
  close(): void;
};

function createMutex(place: JournalLocation, settings: { processes: LockProcesses; patience: number }): Mutex {
  const { files } = place;
  const lock = createFileLock({ directory: stateFolder(place), name: OWN.lock, files, processes: settings.processes });
  let tidy = false;
  return {
    async enter(file, work) {
      const held = await lock.acquire(settings.patience).catch((error: unknown) => {
        throw asProblem(error, file);
      });
      try {
        return writing(file, () => {
          if (!tidy) sweepTemporary(place);
          tidy = true;
          return work();
        });
      } finally {
        held.release();
      }
    },
    close: () => lock.dispose(),
  };
}

/** Only a writer makes temporary files, and we are the writer now: what is there was left by one that was killed. */
function sweepTemporary(place: JournalLocation): void {
  if (!placeExists(place)) return;
  for (const folder of [place.directory, endedFolder(place)]) {
    if (!folderExists(place.files, folder)) continue;
    for (const name of place.files.readdirSync(folder))
      if (name.endsWith(".tmp")) discardFile(place.files, join(folder, name));
  }
}

function writing<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asProblem(error, file);
  }
}

function asProblem(error: unknown, file: string): unknown {
  const detail = errorCode(error);
  return detail === null ? error : new ProblemError({ code: "WRITE_FAILED", file, detail }, { cause: error });
}
