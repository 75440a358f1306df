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
} from "../file-system/file-system.ts";
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

/** Ended journals that stay as they are, for people who look at them with their own tools. */
const PLAIN = 20;
/** Journals packed at one start: no start waits long, not even the first one after a thousand runs. */
const AT_ONCE = 10;
/** Bytes. Of a longer journal the part that is wanted is read, which cannot be done with a packed one. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;

/** Names that are listed at every start; of more, those that are not packed are noted. */
const FEW = 100;
const NOTE_LIMIT = 1024 * 1024; // bytes

/**
 * Packs the oldest ended journals, once others were put away beside them. The caller holds the lock. That it cannot be
 * done now changes nothing: every journal is whole at every moment under one of its two names, and the next start tries
 * again.
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

/** Those that are packed now, and those that stay as they are. */
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

/** Null where no run has ended. */
function lookedThrough(place: JournalLocation): Plain | null {
  const folder = endedFolder(place);
  if (!folderExists(place.files, folder)) return null;
  const names = place.files.readdirSync(folder);
  sweepTemporary(place.files, folder, names);
  return { runs: runsNamed(names, journalName), areMany: names.length > FEW };
}

/** Ended runs that are not packed, as the last start left them; null where that was not noted, or is not so any more. */
function notedPlain(place: JournalLocation): readonly RunId[] | null {
  try {
    const note = readSmall(place.files, noteFile(place), NOTE_LIMIT)?.toString("utf8") ?? "";
    const [stamp, ...runs] = note.split("\n");
    return stamp === stampJournal(place) && runs.every(isRunId) ? runs : null;
  } catch {
    return null; // a link or a pipe in its place: the folder itself tells
  }
}

/** Like a snapshot: believed only if it fits, and harmless to delete. */
const noteFile = ({ directory }: JournalLocation): string => join(directory, `${OWN.ended}.snap`);

/** Differs whenever a name came into the folder, or left it. */
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
  // The plain file is what readers look for first, so it goes only when the other is there for good.
  syncFolder(files, folder);
  discardFile(files, snapshotFile(journal));
  files.unlinkSync(journal);
  return true;
}
