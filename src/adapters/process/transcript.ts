import { closeSync, fstatSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { ensureFolder, nodeFiles, OPEN, openPlain } from "../file-system/file-system.ts";

export type TranscriptOptions = {
  /** Bytes; what comes after is left out, and the file says so. */
  readonly limit: number;
  readonly redact: (text: string) => string;
};

/** What an agent wrote, for people to look at. Not synced, and nothing is decided from it. */
export interface Transcript {
  readonly file: string;
  /** Writes one line, cleaned of secrets. Never throws: a full disk must not end an agent's work. */
  write(text: string): void;
  /** False when the end is missing: over the limit, or the disk refused. */
  readonly complete: () => boolean;
  close(): void;
}

/**
 * Opens the file for adding to it, for this user only. A symbolic link in its place is refused.
 * @throws ProblemError when it cannot be opened.
 */
export function openTranscript(file: string, options: TranscriptOptions): Transcript {
  const handle = openForAdding(file);
  let room = options.limit - fstatSync(handle).size;
  let complete = true;
  let open = true;

  const add = (text: string): void => {
    const bytes = Buffer.from(text);
    writeSync(handle, bytes);
    room -= bytes.length;
  };
  const write = (text: string): void => {
    if (!open || !complete) return;
    const clean = `${options.redact(text)}\n`;
    complete = Buffer.byteLength(clean) <= room;
    try {
      add(complete ? clean : CUT_NOTE);
    } catch {
      complete = false;
    }
  };
  return {
    file,
    write,
    complete: () => complete,
    close: () => {
      if (open) closeSync(handle);
      open = false;
    },
  };
}

const CUT_NOTE = "[cut: the transcript reached its size limit; the agent went on]\n";

function openForAdding(file: string): number {
  try {
    for (const folder of [dirname(dirname(dirname(file))), dirname(dirname(file)), dirname(file)])
      ensureFolder(nodeFiles, folder); // a link in the place of one would lead out of the tree
    const handle = openPlain(nodeFiles, file, OPEN.append);
    if (handle !== null) return handle;
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    throw new ProblemError({ code: "WRITE_FAILED", file, detail }, { cause: error });
  }
  throw new ProblemError({ code: "WRITE_FAILED", file, detail: "its folder is gone" });
}
