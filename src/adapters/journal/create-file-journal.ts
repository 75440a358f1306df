import { basename, join } from "node:path";
import type { Decision, Refusal } from "../../core/command.ts";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import type { Decide, LoadedRun, LocalJournal, SubmitResult } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import { createFileLock } from "./file-lock.ts";
import { type LockProcesses, systemLockProcesses } from "./lock-files.ts";
import { discardFile, ensureFolder, errorCode, OPEN, PRIVATE, succeeds, syncFolder } from "../files/file-system.ts";
import { archiving } from "./archive.ts";
import { createStore, type JournalReaderOptions, createReader, reading } from "./create-journal-reader.ts";
import { emptyCursor, toHead } from "./fold.ts";
import {
  endedFolder,
  ensurePlace,
  journalFile,
  type JournalLocation,
  type OpenFile,
  placeExists,
  runsIn,
  snapshotFile,
  stateFolder,
  sweepTemporary,
  tornFile,
} from "./journal-location.ts";
import { loadRun, newestRun, noHead, visit } from "./read-run.ts";
import { append, type CaughtUp, type JournalStore } from "./run-file.ts";
import { watchRun } from "./watch-run.ts";

export type FileJournalOptions = JournalReaderOptions & {
  readonly decide: Decide;
  readonly processes?: LockProcesses;
  /** Time to wait for other writers, in milliseconds. */
  readonly patience?: number;
};

export type FileJournal = LocalJournal & {
  /** Removes this instance's lock file. Called automatically when the process ends. */
  close(): void;
};

/** Creates journals in files: one line per decision, one writer at a time, synced before it is acknowledged. */
export function createFileJournal(options: FileJournalOptions): FileJournal {
  const { directory, decide, patience = 10_000 } = options;
  const store = createStore(options);
  const { place } = store;
  const reader = createReader(store);
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

/** Decision about a state, for a given command. */
type DecideOn = (state: RunState) => Decision;

/** Decides on the current journal. The caller holds the lock. */
function submitDecision(store: JournalStore, run: RunId, decide: DecideOn): SubmitResult {
  return visit(store, { run, flags: "change" }, (visited) =>
    visited === null || visited.now.cursor.seq === 0
      ? decideWithoutRun(run, decide)
      : record(store, visited.journal, { now: visited.now, decision: decide(visited.now.cursor.state) }),
  );
}

/** Records the events of a decision, or returns its refusal. */
function record(store: JournalStore, journal: OpenFile, made: { now: CaughtUp; decision: Decision }): SubmitResult {
  const { now, decision } = made;
  const before = { state: now.cursor.state, head: toHead(now.cursor) };
  if (!decision.ok) return { ok: false, ...before, refusal: decision.refusal };
  if (decision.events.length === 0) return { ok: true, ...before, events: [] };
  const { cursor, events } = append(store, journal, { from: now, drafts: decision.events });
  return { ok: true, state: cursor.state, head: toHead(cursor), events };
}

/** Never starts a journal: only `create` does. */
function decideWithoutRun(run: RunId, decide: DecideOn): SubmitResult {
  const decision = decide(noRun);
  if (decision.ok) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  return { ok: false, state: noRun, head: noHead(run), refusal: decision.refusal };
}

/** Starts a journal. The caller holds the lock and has created the folder. */
function createRun(store: JournalStore, run: RunId, decide: DecideOn): SubmitResult {
  const { place } = store;
  newestRun(store);
  const others = runsIn(place, place.directory).map((other) => ({ run: other, ...loadRun(store, other) }));
  const refusal = refusalFor(run, [...others, { run, ...loadRun(store, run) }]);
  if (refusal !== null) return { ok: false, ...refusal };
  const decision = decide(noRun);
  if (!decision.ok) return { ok: false, state: noRun, head: noHead(run), refusal: decision.refusal };
  if (decision.events.length === 0) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const archive = archiving(place);
  for (const other of others) {
    store.known.delete(other.run);
    putAway(place, other);
  }
  const file = journalFile(place, run);
  const fd = place.files.openSync(file, OPEN.createNew, PRIVATE);
  try {
    syncFolder(place.files, place.directory);
    const now = { cursor: emptyCursor(run), snapshot: { lines: 0, size: 0 }, torn: 0 };
    const recorded = record(store, { fd, file }, { now, decision });
    if (others.length > 0) archive(others.map((other) => other.run));
    return recorded;
  } finally {
    place.files.closeSync(fd);
  }
}

type Other = LoadedRun & { readonly run: RunId };

function refusalFor(run: RunId, others: readonly Other[]): (LoadedRun & { refusal: Refusal }) | null {
  for (const { run: other, state, head } of others) {
    if (state.is === "active") return { state, head, refusal: { why: "runActive", run: other } };
    if (state.is === "ended" && other === run) return { state, head, refusal: { why: "runEnded", how: state.how } };
  }
  return null;
}

/** Moves the journal of a run that is not open to the ended ones. The caller holds the lock. */
export function putAway(place: JournalLocation, other: Pick<Other, "run" | "head">): void {
  const file = journalFile(place, other.run);
  // A journal without a record is from an interrupted start that was never acknowledged.
  const begun = other.head.seq > 0;
  if (!begun && place.files.lstatSync(file).size === 0) return discardFile(place.files, file);
  const folder = endedFolder(place);
  ensureFolder(place.files, folder);
  if (!begun) return place.files.renameSync(file, join(folder, basename(tornFile(file))));
  // Moves the journal last: if interrupted before, the next start repeats this.
  for (const path of [snapshotFile(file), tornFile(file), file])
    succeeds(() => place.files.renameSync(path, join(folder, basename(path))), ["ENOENT"]);
}

type Mutex = {
  /** Runs `work` while no other process writes. `work` is synchronous, which keeps waiting times short. */
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
          if (!tidy) sweepOpen(place);
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

/**
 * Sweeps only the folder of open journals. The folder of ended ones is swept during packing: it may contain thousands,
 * too many for every writer to list.
 */
function sweepOpen(place: JournalLocation): void {
  if (placeExists(place)) sweepTemporary(place.files, place.directory, place.files.readdirSync(place.directory));
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
