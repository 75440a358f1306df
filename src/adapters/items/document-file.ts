import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { nodeFiles, OPEN, openPlain, readRange, placeFile, syncFolder } from "../file-system/file-system.ts";
import { decodePath, encodePath } from "../git/process/git-path.ts";

export type FoundDocument = {
  /** Bytes that are no UTF-8 are kept, each as a lone surrogate. */
  readonly text: string;
  readonly mode: number;
};

/** As other files of a project: the person's umask decides. */
const ORDINARY = 0o666;
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;

/** A document of the project; null where there is none. @throws for links, folders, pipes and what is too large to be one. */
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

/** Holds almost every document whole, which spares asking for its size. */
const common = Buffer.allocUnsafe(16 * 1024);

/** The text alone, for reading many: half the calls of `readDocument`, and refusing the same. */
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

/** Somebody else wrote the document between our reading and our writing. */
class ChangedMeanwhile extends Error {
  constructor() {
    super("it was changed meanwhile");
  }
}

const MAX_WRITE_ATTEMPTS = 20;

/** Reads, changes and replaces a document, again when somebody else wrote it in between. */
export function editDocument<T>(edit: () => T): T {
  for (let tried = 1; ; tried++) {
    try {
      return edit();
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || tried === MAX_WRITE_ATTEMPTS) throw error;
    }
  }
}

/**
 * Puts a document in place in one step, durably; it is complete or the old one.
 * @throws where what is there is not what was found, or is no plain file.
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
