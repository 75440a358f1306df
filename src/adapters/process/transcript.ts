import { closeSync, fstatSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { ensureFolder, nodeFiles, OPEN, openPlain } from "../files/file-system.ts";

export type TranscriptOptions = {
  /** Bytes. Text beyond the limit is omitted, with a note in the file. */
  readonly limit: number;
  readonly redact: (text: string) => string;
};

/** Output of an agent, for users to read. Not synced, and never used for decisions. */
export interface Transcript {
  readonly file: string;
  /** Writes one line with secrets redacted. Never throws: a full disk must not end an agent's work. */
  write(text: string): void;
  /** False if the end is missing, because of the limit or a write error. */
  readonly complete: () => boolean;
  close(): void;
}

/**
 * Opens the file for appending, for this user only. Symbolic links are refused. @throws ProblemError if it cannot be
 * opened
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

const CUT_NOTE = "[cut: the transcript reached its size limit; the agent continued]\n";

function openForAdding(file: string): number {
  try {
    for (const folder of [dirname(dirname(dirname(file))), dirname(dirname(file)), dirname(file)])
      ensureFolder(nodeFiles, folder); // a link instead of a folder would lead out of the working tree
    const handle = openPlain(nodeFiles, file, OPEN.append);
    if (handle !== null) return handle;
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    throw new ProblemError({ code: "WRITE_FAILED", file, detail }, { cause: error });
  }
  throw new ProblemError({ code: "WRITE_FAILED", file, detail: "its folder is gone" });
}
