import { watch, type FSWatcher } from "node:fs";
import type { RunId } from "../../schema/ids.ts";
import { openJournal, type OpenFile } from "./journal-location.ts";
import { toStamp, type JournalStore } from "./run-file.ts";

const POLL = 500; // milliseconds; for file systems without notifications

/**
 * Resolves if the journal differs from the last read or write of this process, or the signal is aborted. May resolve
 * for a record that is still being written; the next call then waits for the rest.
 */
export function watchRun(store: JournalStore, run: RunId, signal: AbortSignal): Promise<void> {
  const before = store.seen.get(run) ?? readStamp(store, run).stamp;
  return new Promise((resolve) => {
    let watcher: FSWatcher | null = null;
    const finish = (): void => {
      signal.removeEventListener("abort", finish);
      clearInterval(timer);
      watcher?.close();
      resolve();
    };
    const look = (): void => {
      if (readStamp(store, run).stamp !== before) finish();
    };
    const timer = setInterval(look, POLL);
    signal.addEventListener("abort", finish);
    watcher = watchFile(readStamp(store, run).file, look);
    // Checked after watching started, to miss no change in between.
    if (signal.aborted) finish();
    else look();
  });
}

function watchFile(file: string | null, onChange: () => void): FSWatcher | null {
  if (file === null) return null;
  try {
    const watcher = watch(file, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return null; // no more watches available: polling is enough
  }
}

/** Treats a file error as a change: the caller then reads the journal and gets the error. */
function readStamp(store: JournalStore, run: RunId): { stamp: string; file: string | null } {
  let journal: OpenFile | null = null;
  try {
    journal = openJournal(store.place, run, "read");
    if (journal === null) return { stamp: "none", file: null };
    return { stamp: toStamp(store.place.files.fstatSync(journal.fd)), file: journal.file };
  } catch {
    return { stamp: "trouble", file: null };
  } finally {
    if (journal !== null) store.place.files.closeSync(journal.fd);
  }
}
