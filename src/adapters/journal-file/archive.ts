import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import type { RunId } from "../../schema/ids.ts";
import {
  errorCode,
  type FileSystem,
  folderExists,
  readSmall,
  discardFile,
  placeFile,
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
import { ARCHIVE_LIMIT, packed } from "./packed.ts";

/** Ended journals that stay as they are, for people who look at them with their own tools. */
const PLAIN = 20;
/** Journals packed at one start: no start waits long, not even the first one after a thousand runs. */
const AT_ONCE = 10;

/**
 * Packs the oldest ended journals. The caller holds the lock. That it cannot be done now changes nothing: every journal
 * is whole at every moment under one of its two names, and the next start tries again.
 */
export function archiveEnded(place: JournalLocation): void {
  try {
    const folder = endedFolder(place);
    if (!folderExists(place.files, folder)) return;
    const names = place.files.readdirSync(folder);
    sweepTemporary(place.files, folder, names);
    const plain = runsNamed(names, journalName);
    for (const run of plain.slice(PLAIN).toReversed().slice(0, AT_ONCE)) packRun(place.files, folder, run);
  } catch (error) {
    if (errorCode(error) === null && !(error instanceof ProblemError)) throw error;
  }
}

function packRun(files: FileSystem, folder: string, run: RunId): void {
  const journal = join(folder, journalName(run));
  const content = readSmall(files, journal, ARCHIVE_LIMIT);
  if (content === null) return; // too large to be unpacked in memory later
  const archive = join(folder, archiveName(run));
  const place = (temporary: string): void => files.renameSync(temporary, archive);
  placeFile(files, archive, { bytes: packed(content), durable: true, place });
  // The plain file is what readers look for first, so it goes only when the other is there for good.
  syncFolder(files, folder);
  discardFile(files, snapshotFile(journal));
  files.unlinkSync(journal);
}
