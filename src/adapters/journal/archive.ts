import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { OWN } from "../../core/own-folder.ts";
import { isRunId, type RunId } from "../../schema/ids.ts";
import {
  errorCode,
  type FileSystem,
  folderExists,
  readSmall,
  discardFile,
  placeFile,
  replaceFile,
  syncFolder,
} from "../files/file-system.ts";
import {
  archiveName,
  endedFolder,
  journalName,
  runsNamed,
  snapshotFile,
  sweepTemporary,
  type JournalLocation,
} from "./journal-location.ts";
import { packed } from "./packed.ts";

/** Ended journals that stay unpacked, for users who read them with their own tools. */
const PLAIN = 20;
/** Journals packed per start, to keep every start fast, even the first one after a thousand runs. */
const AT_ONCE = 10;
/**
 * Bytes. A longer journal stays unpacked: only the requested part of it is read, which is impossible in a packed one.
 */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;

/** Names listed at every start. If there are more, the unpacked journals are recorded in a note. */
const FEW = 100;
const NOTE_LIMIT = 1024 * 1024; // bytes

/**
 * Returns a function that packs the oldest ended journals, after others were moved to their folder. The caller holds
 * the lock. Failures change nothing: every journal is always complete under one of its two names, and the next start
 * tries again.
 */
export function archiving(place: JournalLocation): (putAway: readonly RunId[]) => void {
  const noted = notedPlain(place); // before the folder is changed
  return (putAway) => {
    try {
      const plain = noted === null ? lookedThrough(place) : { runs: [...noted, ...putAway], areMany: true };
      if (plain === null) return;
      const newestFirst = plain.runs.toSorted().toReversed();
      const due = packOldest(place, newestFirst.slice(PLAIN).toReversed());
      const left = newestFirst.filter((run) => !due.includes(run));
      if (plain.areMany)
        replaceFile(place.files, noteFile(place), Buffer.from([stampJournal(place), ...left].join("\n")));
    } catch (error) {
      if (errorCode(error) === null && !(error instanceof ProblemError)) throw error;
    }
  };
}

/** Packs the oldest journals. Returns those that are packed now, and those too large to pack. */
function packOldest(place: JournalLocation, oldestFirst: readonly RunId[]): readonly RunId[] {
  const done: RunId[] = [];
  let packs = 0;
  for (const run of oldestFirst) {
    if (packs === AT_ONCE) break;
    if (packRun(place.files, endedFolder(place), run)) packs++;
    done.push(run);
  }
  return done;
}

type Plain = { readonly runs: readonly RunId[]; readonly areMany: boolean };

/** Returns null if no run has ended. */
function lookedThrough(place: JournalLocation): Plain | null {
  const folder = endedFolder(place);
  if (!folderExists(place.files, folder)) return null;
  const names = place.files.readdirSync(folder);
  sweepTemporary(place.files, folder, names);
  return { runs: runsNamed(names, journalName), areMany: names.length > FEW };
}

/** Returns the unpacked ended runs as recorded by the last start. Null if the note is missing or outdated. */
function notedPlain(place: JournalLocation): readonly RunId[] | null {
  try {
    const note = readSmall(place.files, noteFile(place), NOTE_LIMIT)?.toString("utf8") ?? "";
    const [stamp, ...runs] = note.split("\n");
    return stamp === stampJournal(place) && runs.every(isRunId) ? runs : null;
  } catch {
    return null; // a link or a pipe instead of the note: the folder is listed
  }
}

/** Like a snapshot: used only if it fits, and safe to delete. */
const noteFile = ({ directory }: JournalLocation): string => join(directory, `${OWN.ended}.snap`);

/** Changes if a name is added to the folder or removed from it. */
function stampJournal(place: JournalLocation): string {
  const { ino, mtimeMs } = place.files.lstatSync(endedFolder(place));
  return `${ino}:${mtimeMs}`;
}

function packRun(files: FileSystem, folder: string, run: RunId): boolean {
  const journal = join(folder, journalName(run));
  const content = readSmall(files, journal, MAX_PACKED_BYTES);
  if (content === null) return false;
  const archive = join(folder, archiveName(run));
  const place = (temporary: string): void => files.renameSync(temporary, archive);
  placeFile(files, archive, { bytes: packed(content), durable: true, place });
  // Readers look for the plain file first. It is removed only after the packed one is durable.
  syncFolder(files, folder);
  discardFile(files, snapshotFile(journal));
  files.unlinkSync(journal);
  return true;
}
