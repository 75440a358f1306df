import { gunzipSync, gzipSync } from "node:zlib";
import { createTar, parseTar } from "nanotar";
import { ProblemError } from "../../core/problem.ts";

export type ArchiveFile = { readonly name: string; readonly content: Buffer };

/** Limits of an unpacked archive. No export of a run exceeds them. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 10_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*){0,9}$/;

/** Packs files into one archive. The same files give the same bytes. */
export function packArchive(files: readonly ArchiveFile[]): Buffer {
  const items = files.map(({ name, content }) => ({ name, data: content, attrs: { mtime: 0, uid: 0, gid: 0 } }));
  return gzipSync(createTar(items), { level: 9 });
}

/**
 * Unpacks an archive in memory, without writing. Accepts only plain files with plain names.
 * @throws ProblemError ARCHIVE_INVALID
 */
export function unpackArchive(bytes: Buffer, file: string): ReadonlyMap<string, Buffer> {
  const invalid = (detail: string): ProblemError => new ProblemError({ code: "ARCHIVE_INVALID", file, detail });
  const entries = readEntries(bytes, invalid);
  if (entries.length > MAX_FILES) throw invalid(`it holds more than ${MAX_FILES} files`);
  const found = new Map<string, Buffer>();
  for (const { name, type, data } of entries) {
    if (type !== "file" || !NAME.test(name) || name.includes(".."))
      throw invalid("it holds something that is not a plain file");
    if (found.has(name)) throw invalid("it holds a file twice");
    found.set(name, Buffer.from(data ?? []));
  }
  return found;
}

function readEntries(bytes: Buffer, invalid: (detail: string) => ProblemError) {
  try {
    return parseTar(gunzipSync(bytes, { maxOutputLength: MAX_BYTES }));
  } catch {
    throw invalid(`it is not a compressed tar file, or unpacks to more than ${MAX_BYTES} bytes`);
  }
}
