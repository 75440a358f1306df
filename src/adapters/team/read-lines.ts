import type { Seal } from "../../ports/seal.ts";
import type { RunEvent } from "../../schema/event.ts";
import { checkBySeal } from "../journal-file/event-check.ts";
import { type Cursor, fold } from "../journal-file/fold.ts";

export type ReadLines = { readonly cursor: Cursor; readonly events: readonly RunEvent[] };

/**
 * Goes on over lines that a server sent, each checked against its keys.
 * @throws ProblemError where one is damaged or forged.
 */
export function readLines(from: Cursor, lines: readonly string[], seal: Seal): ReadLines {
  const events: RunEvent[] = [];
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const onEvents = (read: readonly RunEvent[]): number => events.push(...read);
  const { cursor } = fold(from, bytes, {
    file: `run ${from.run}`,
    seal,
    check: checkBySeal,
    witnesses: [],
    onEvents,
  });
  return { cursor, events };
}
