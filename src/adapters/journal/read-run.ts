import { ProblemError } from "../../core/problem.ts";
import { noRun, type RunState } from "../../core/run.ts";
import type { Head, LoadedRun } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import { toHead } from "./fold.ts";
import { endedFolder, newestIn, openJournal, runsIn, type OpenFile } from "./journal-location.ts";
import { genesis } from "./record.ts";
import { catchUp, type CaughtUp, type JournalStore } from "./run-file.ts";

export type OpenRun = { readonly journal: OpenFile; readonly now: CaughtUp };

/** Opens a run's journal and reads new records. `work` gets null if the run does not exist. */
export function visit<T>(
  store: JournalStore,
  look: { run: RunId; flags: "read" | "change" },
  work: (visited: OpenRun | null) => T,
): T {
  const anchor = store.anchors.read(look.run);
  const journal = openJournal(store.place, look.run, look.flags);
  if (journal === null) {
    const seq = anchor?.seq ?? store.known.get(look.run)?.cursor.seq ?? 0;
    if (seq > 0) throw new ProblemError({ code: "JOURNAL_MISSING", run: look.run, seq });
    return work(null);
  }
  try {
    const now = catchUp(store, journal, { run: look.run, anchor });
    refuseForeign(store, now.cursor.state, anchor);
    return work({ journal, now });
  } finally {
    store.place.files.closeSync(journal.fd);
  }
}

/** Refuses an open run that was started in another working tree and has no anchor here. */
function refuseForeign({ anchors }: JournalStore, state: RunState, anchor: Head | null): void {
  const root = readStartTime(state);
  if (root === null || root === anchors.tree || anchor !== null) return;
  throw new ProblemError({ code: "JOURNAL_ELSEWHERE", run: state.is === "none" ? "" : state.run.run, root });
}

/**
 * Returns the working tree in which an open run was started. Null if the run is not open, or from a version that did
 * not record this.
 */
export const readStartTime = (state: RunState): string | null =>
  state.is === "active" ? (state.run.tree?.root ?? null) : null;

export function loadRun(store: JournalStore, run: RunId): LoadedRun {
  return withRetry(() =>
    visit(store, { run, flags: "read" }, (visited) =>
      visited === null
        ? { state: noRun, head: noHead(run) }
        : { state: visited.now.cursor.state, head: toHead(visited.now.cursor) },
    ),
  );
}

export function newestRun(store: JournalStore): RunId | null {
  return findNewest(store)?.run ?? null;
}

export type LatestRun = LoadedRun & { readonly run: RunId };

/** Returns the newest run with its state, reading it once. */
export function newestLoaded(store: JournalStore): LatestRun | null {
  const found = findNewest(store);
  if (found === null) return null;
  return { run: found.run, ...(found.loaded ?? loadRun(store, found.run)) };
}

/** `loaded` is null if the run was not read yet, or its journal is in doubt: a read reports the problem. */
type FoundRun = { readonly run: RunId; readonly loaded: LoadedRun | null };

/** @throws ProblemError JOURNAL_MISSING if the journal of a known open run is missing: "no run" would be wrong. */
function findNewest(store: JournalStore): FoundRun | null {
  const open = store.anchors.openRun();
  if (open !== null && !hasJournal(store, open)) {
    throw new ProblemError({ code: "JOURNAL_MISSING", run: open, seq: store.anchors.read(open)?.seq ?? 1 });
  }
  for (const run of runsIn(store.place, store.place.directory)) {
    const loaded = loadedOrDoubtful(store, run);
    // A journal without a record is from an interrupted start: not a run.
    if (loaded === null || loaded.head.seq > 0) return { run, loaded };
  }
  const ended = newestIn(store.place, endedFolder(store.place));
  return ended === null ? null : { run: ended, loaded: null };
}

export const noHead = (run: RunId): Head => ({ seq: 0, hash: genesis(run) });

function loadedOrDoubtful(store: JournalStore, run: RunId): LoadedRun | null {
  try {
    return loadRun(store, run);
  } catch (error) {
    if (error instanceof ProblemError) return null;
    throw error;
  }
}

function hasJournal(store: JournalStore, run: RunId): boolean {
  const journal = openJournal(store.place, run, "read");
  if (journal !== null) store.place.files.closeSync(journal.fd);
  return journal !== null;
}

/**
 * Retries a read that finds damage. Readers take no lock: while a writer removes a torn record and appends, they may
 * see a mixture that looks damaged. Real damage is found again.
 */
export function withRetry<T>(read: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return read();
    } catch (error) {
      const damaged = error instanceof ProblemError && error.problem.code === "JOURNAL_CORRUPT";
      if (!damaged || attempt === 3) throw error;
    }
  }
}
