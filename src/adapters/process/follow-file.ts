import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** Maximum number of bytes per read. The next call reads the rest of a longer file. */
const MAX_FOLLOWED_BYTES = 32 * 1024 * 1024;

/**
 * Follows additions to a file. Each call returns the pieces completed since the last one, or none if the file is
 * missing or unreadable.
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
      const bytes = Buffer.alloc(Math.min(Math.max(0, fstatSync(handle).size - from), MAX_FOLLOWED_BYTES));
      const length = readSync(handle, bytes, 0, bytes.length, from);
      return { text: bytes.toString("latin1", 0, length), end: from + length }; // a read may split a UTF-8 character
    } finally {
      closeSync(handle);
    }
  } catch {
    return { text: "", end: from };
  }
}
