import type { ChangedRows, NumberedLine } from "./moved-lines.ts";

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)/;

/** Returns the changed lines of one file's patch with their numbers on either side. */
export function changedRows(path: string, text: string): ChangedRows {
  const added: NumberedLine[] = [];
  const removed: NumberedLine[] = [];
  let numbers: { old: number; now: number } | null = null;
  for (const row of text.split("\n")) {
    const [, old, now] = HUNK.exec(row) ?? [];
    if (row.startsWith("diff --git ")) numbers = null;
    else if (old !== undefined && now !== undefined) numbers = { old: Number(old), now: Number(now) };
    else if (numbers === null) continue;
    else if (row.startsWith("+")) added.push({ number: numbers.now++, text: row.slice(1) });
    else if (row.startsWith("-")) removed.push({ number: numbers.old++, text: row.slice(1) });
    else if (row.startsWith(" ")) {
      numbers.old++;
      numbers.now++;
    }
  }
  return { path, added, removed };
}
