import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { nodeFiles, OPEN, openPlain, readRange, placeFile, syncFolder } from "../files/file-system.ts";
import { decodePath, encodePath } from "../git/process/git-path.ts";

export type FoundDocument = {
  /** Bytes that are not UTF-8 are preserved, each as a lone surrogate. */
  readonly text: string;
  readonly mode: number;
};

/** Same mode as other files of a project: the user's umask decides. */
const ORDINARY = 0o666;
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;

/**
 * Reads a document of the project. Null if it does not exist.
 * @throws for links, folders, pipes and files larger than `MAX_DOCUMENT_BYTES`
 */
export function readDocument(path: string): FoundDocument | null {
  const fd = openPlain(nodeFiles, path, OPEN.read);
  if (fd === null) return null;
  try {
    const { size, mode } = nodeFiles.fstatSync(fd);
    if (size > MAX_DOCUMENT_BYTES) throw new Error(`${path} is too large`);
    return { text: decodePath(readRange(nodeFiles, fd, { from: 0, to: size })), mode: mode & 0o777 };
  } finally {
    nodeFiles.closeSync(fd);
  }
}

/** Holds almost every document completely, which saves a call for its size. */
const common = Buffer.allocUnsafe(16 * 1024);

/** Reads the text only, with half the calls of `readDocument` and the same refusals. For reading many documents. */
export function readDocumentText(path: string): string | null {
  const fd = openPlain(nodeFiles, path, OPEN.read);
  if (fd === null) return null;
  let length: number;
  try {
    length = nodeFiles.readSync(fd, common, 0, common.length, 0);
  } finally {
    nodeFiles.closeSync(fd);
  }
  if (length === common.length) return readDocument(path)?.text ?? null;
  return decodePath(common.subarray(0, length));
}

/** Another process wrote the document between our read and our write. */
class ChangedMeanwhile extends Error {
  constructor() {
    super("it has changed since it was read");
  }
}

const MAX_DOCUMENT_WRITE_ATTEMPTS = 20;

/** Reads, changes and replaces a document. Repeats this if another process wrote the document in between. */
export function editDocument<T>(edit: () => T): T {
  for (let tried = 1; ; tried++) {
    try {
      return edit();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || tried === MAX_DOCUMENT_WRITE_ATTEMPTS) throw error;
    }
  }
}

/**
 * Replaces a document durably and in one step: readers find the complete new document or the old one.
 * @throws if the current document is not the one that was read, or not a plain file
 */
export function replaceDocument(path: string, text: string, found: FoundDocument | null): void {
  placeFile(nodeFiles, path, {
    bytes: encodePath(text),
    mode: ORDINARY,
    durable: true,
    place(temporary) {
      if (found !== null) chmodSync(temporary, found.mode);
      if (readDocument(path)?.text !== found?.text) throw new ChangedMeanwhile();
      nodeFiles.renameSync(temporary, path);
    },
  });
  syncFolder(nodeFiles, dirname(path));
}

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
