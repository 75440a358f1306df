import { isDecidingLine } from "./deciding-lines.ts";
import { isMarkedGenerated } from "./fold-reason.ts";

/** What the patch of one file shows about its content. */
export type PatchMeasures = {
  /** Number of added lines with a condition, a loop or other logic (`isDecidingLine`). */
  readonly deciding: number;
  /**
   * True if the first lines say that a program wrote the file. In an existing file, lines added by this change do not
   * count: otherwise a comment could fold existing code.
   */
  readonly isMarkedGenerated: boolean;
};

/** Measures the hunks of one file. `isNew`: true if the file did not exist before. */
export function measurePatch(
  text: string,
  { path, isNew }: { readonly path: string; readonly isNew: boolean },
): PatchMeasures {
  const head: string[] = [];
  let deciding = 0;
  let line = 0;
  for (const row of hunkRows(text)) {
    const start = HUNK.exec(row)?.[1];
    if (start !== undefined) line = Number(start);
    else if (!row.startsWith("-")) {
      const content = row.slice(1);
      const isAdded = row.startsWith("+");
      if (line <= HEAD_LINES && (isNew || !isAdded)) head.push(content);
      if (isAdded && isDecidingLine(content)) deciding++;
      line++;
    }
  }
  return { deciding, isMarkedGenerated: isMarkedGenerated(path, head) };
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)/;
const HEAD_LINES = 5;

/** Returns hunk headers and their rows, without file headers and notes. */
function* hunkRows(text: string): Generator<string> {
  let isHunk = false;
  for (const row of text.split("\n")) {
    if (row.startsWith("diff --git ")) isHunk = false;
    if (row.startsWith("@@ ")) isHunk = true;
    if (isHunk && /^[-+ @]/.test(row)) yield row;
  }
}
