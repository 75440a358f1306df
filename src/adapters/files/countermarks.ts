import { join } from "node:path";
import type { RunId } from "../../schema/ids.ts";
import { type FileSystem, placeFile, readSmall, syncFolder } from "./file-system.ts";
import type { Seal } from "../../ports/journal.ts";

/** Returns the countersignature of a record by its hash, if it has one. */
export type CountermarkOf = (hash: string) => string | undefined;

/** Text signed by a countersignature. No record has such a hash, which keeps seals and countersignatures apart. */
const takenOver = (hash: string): string => `taken over ${hash}`;

/** Creates a countersignature, with the user's own key, for an accepted record that another key sealed. */
export const countermark = (seal: Seal, hash: string): string => seal.mark(takenOver(hash));

/** Returns a seal that also accepts records of other keys with a valid countersignature. */
export const withCountermarks = (seal: Seal, countermarkOf: CountermarkOf): Seal => ({
  mark: (hash) => seal.mark(hash),
  fits(hash, mark, text) {
    if (seal.fits(hash, mark, text)) return true;
    const found = countermarkOf(hash);
    return found !== undefined && seal.fits(takenOver(hash), found, text);
  },
});

const FOLDER = "taken-over";
const MAX_COUNTERMARK_FILE_BYTES = 16 * 1024 * 1024; // bytes

/**
 * Looks up countersignatures of runs from other machines: a file per run, a line per record. Reads all files on first
 * use, and again for each unknown hash.
 */
export function countermarksIn(directory: string, files: FileSystem): CountermarkOf {
  let known: ReadonlyMap<string, string> = new Map();
  return (hash) => known.get(hash) ?? (known = readAll(join(directory, FOLDER), files)).get(hash);
}

function readAll(folder: string, files: FileSystem): ReadonlyMap<string, string> {
  if (files.lstatSync(folder, { throwIfNoEntry: false }) === undefined) return new Map();
  const texts = files
    .readdirSync(folder)
    .map((name) => readSmall(files, join(folder, name), MAX_COUNTERMARK_FILE_BYTES));
  const lines = texts.flatMap((text) => text?.toString("latin1").split("\n") ?? []);
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}

export type CountermarkedLine = { readonly hash: string; readonly countermark: string };

/** Stores all countersignatures of a run durably. Earlier ones of the run must be included. */
export function keepCountermarks(
  { directory, files }: { readonly directory: string; readonly files: FileSystem },
  run: RunId,
  records: readonly CountermarkedLine[],
): void {
  const folder = join(directory, FOLDER);
  files.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bytes = Buffer.from(records.map(({ hash, countermark }) => `${hash} ${countermark}\n`).join(""));
  const file = join(folder, run);
  placeFile(files, file, { bytes, durable: true, place: (temporary) => files.renameSync(temporary, file) });
  syncFolder(files, folder);
}
