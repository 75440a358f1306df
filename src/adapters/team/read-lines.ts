import type { Seal } from "../../ports/seal.ts";
import type { RunEvent } from "../../schema/event.ts";
import { checkBySeal } from "../journal-file/record.ts";
import { corrupt, type Cursor, fold } from "../journal-file/fold.ts";

export type ReadLines = { readonly cursor: Cursor; readonly events: readonly RunEvent[] };

/**
 * Reads lines from a server after a cursor, and verifies each with the server's keys. @throws ProblemError if a line
 * is damaged or forged
 */
export function readLines(from: Cursor, lines: readonly string[], seal: Seal): ReadLines {
  const events: RunEvent[] = [];
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const onEvents = (read: readonly RunEvent[]): number => events.push(...read);
  const file = `run ${from.run}`;
  const { cursor, torn } = fold(from, bytes, { file, seal, check: checkBySeal, witnesses: [], onEvents });
  // A file may end with a torn write, but a server sends whole lines.
  if (torn > 0) throw corrupt({ file }, cursor.lines + 1, "its hash does not fit");
  return { cursor, events };
}
