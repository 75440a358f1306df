export type PatchLine = {
  readonly kind: "context" | "added" | "removed";
  readonly text: string;
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
  /** True for the last line of a file without a newline at its end. */
  readonly hasNoNewline?: boolean;
  /** True for a line whose changes of white space are ignored. */
  readonly isSpaceOnly?: boolean;
};
export type Hunk = { readonly header: string; readonly lines: readonly PatchLine[] };

const HEADER = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;
/** Start of git's note after a line without a newline. */
const NO_NEWLINE = "\\";
const KINDS: Readonly<Record<string, PatchLine["kind"]>> = { "+": "added", "-": "removed", " ": "context" };

/** Parses the hunks of one file's patch. A truncated patch ends at its last line. */
export function parsePatch(patch: string): Hunk[] {
  const hunks: { header: string; lines: PatchLine[] }[] = [];
  let [oldNumber, newNumber] = [0, 0];
  for (const line of patch.split("\n")) {
    const header = HEADER.exec(line);
    if (header !== null) {
      [oldNumber, newNumber] = [Number(header[1]), Number(header[2])];
      hunks.push({ header: (header[3] ?? "").trim(), lines: [] });
      continue;
    }
    const lines = hunks.at(-1)?.lines;
    if (line.startsWith(NO_NEWLINE)) markLast(lines);
    const kind = KINDS[line.charAt(0)];
    if (kind === undefined) continue;
    lines?.push({
      kind,
      text: line.slice(1),
      oldNumber: kind === "added" ? null : oldNumber++,
      newNumber: kind === "removed" ? null : newNumber++,
    });
  }
  return hunks;
}

function markLast(lines: PatchLine[] | undefined): void {
  const last = lines?.pop();
  if (last !== undefined) lines?.push({ ...last, hasNoNewline: true });
}
