import { basename, join } from "node:path";
import type { Refusal } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import { noRun } from "../../core/run.ts";
import type { Loaded, Submitted } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import { ensureFolder, OPEN, PRIVATE, discardFile, succeeds, syncFolder } from "../file-system/file-system.ts";
import { archiveEnded } from "./archive.ts";
import { emptyCursor } from "./fold.ts";
import { endedFolder, journalFile, runsIn, snapshotFile, tornFile } from "./journal-location.ts";
import { loadRun, newestRun, noHead } from "./read-run.ts";
import type { JournalStore } from "./run-file.ts";
import { record, type DecideOn } from "./submit-decision.ts";

/** Begins a journal. The caller holds the lock and has made the folder. */
export function createRun(store: JournalStore, run: RunId, decide: DecideOn): Submitted {
  const { place } = store;
  newestRun(store);
  const others = runsIn(place, place.directory).map((other) => ({ run: other, ...loadRun(store, other) }));
  const refusal = refusalFor(run, [...others, { run, ...loadRun(store, run) }]);
  if (refusal !== null) return { ok: false, ...refusal };
  const decision = decide(noRun);
  if (!decision.ok) return { ok: false, state: noRun, head: noHead(run), refusal: decision.refusal };
  if (decision.events.length === 0) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  for (const other of others) putAway(store, other);
  const file = journalFile(place, run);
  const fd = place.files.openSync(file, OPEN.createNew, PRIVATE);
  try {
    syncFolder(place.files, place.directory);
    const now = { cursor: emptyCursor(run), snapshot: { lines: 0, size: 0 }, torn: 0 };
    const recorded = record(store, { fd, file }, { now, decision });
    if (others.length > 0) archiveEnded(place);
    return recorded;
  } finally {
    place.files.closeSync(fd);
  }
}

type Other = Loaded & { readonly run: RunId };

function refusalFor(run: RunId, others: readonly Other[]): (Loaded & { refusal: Refusal }) | null {
  for (const { run: other, state, head } of others) {
    if (state.is === "active") return { state, head, refusal: { why: "runActive", run: other } };
    if (state.is === "ended" && other === run) return { state, head, refusal: { why: "runEnded", how: state.how } };
  }
  return null;
}

function putAway(store: JournalStore, other: Other): void {
  const { place } = store;
  const file = journalFile(place, other.run);
  store.known.delete(other.run);
  // Without a record it was left by a start that was cut off before anybody was told of it.
  const begun = other.head.seq > 0;
  if (!begun && place.files.lstatSync(file).size === 0) return discardFile(place.files, file);
  const folder = endedFolder(place);
  ensureFolder(place.files, folder);
  if (!begun) return place.files.renameSync(file, join(folder, basename(tornFile(file))));
  // The journal goes last: cut off before that, the next start does it again.
  for (const path of [snapshotFile(file), tornFile(file), file])
    succeeds(() => place.files.renameSync(path, join(folder, basename(path))), ["ENOENT"]);
}
