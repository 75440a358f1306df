import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Bytes that are read at once; of a longer file the rest comes the next time. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Reads what others add to a file, in whole pieces: each call gives the pieces that ended since the last one. A file
 * that is not there, or cannot be read, has none.
 */
export function followFile(file: string, separator: string): () => readonly string[] {
  let read = 0;
  let rest = "";
  return () => {
    const { text, end } = readFrom(file, read);
    read = end;
    const pieces = `${rest}${text}`.split(separator);
    rest = pieces.pop() ?? "";
    return pieces;
  };
}

function readFrom(file: string, from: number): { readonly text: string; readonly end: number } {
  try {
    const handle = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(Math.min(Math.max(0, fstatSync(handle).size - from), MAX_BYTES));
      const length = readSync(handle, bytes, 0, bytes.length, from);
      return { text: bytes.toString("latin1", 0, length), end: from + length }; // a character may be in two pieces
    } finally {
      closeSync(handle);
    }
  } catch {
    return { text: "", end: from };
  }
}
