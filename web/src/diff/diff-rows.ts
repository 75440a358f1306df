import type { DiffFile } from "../../../src/schema/api.ts";
import {
  anchored,
  type EarlierAt,
  hasNotes,
  type Line,
  type Notes,
  notesAt,
  type Review,
} from "../gate/review-context.ts";
import { type Hunk, parsePatch, type PatchLine } from "./parse-patch.ts";

export type Layout = "unified" | "split";
export type Pair = { readonly left: PatchLine | null; readonly right: PatchLine | null };

/** One row of the diff. The diff is a flat list of rows, to render only those on the screen. */
export type DiffRow = { readonly key: string; readonly file: DiffFile } & (
  | { readonly is: "file"; readonly isOpen: boolean }
  | { readonly is: "group"; readonly text: string }
  | { readonly is: "hunk"; readonly text: string }
  | { readonly is: "line"; readonly line: PatchLine; readonly pair: PatchLine | null }
  | ({ readonly is: "pair" } & Pair)
  | { readonly is: "notes"; readonly notes: Notes }
  | { readonly is: "message"; readonly text: string }
);

export type DiffRowOptions = {
  readonly layout: Layout;
  readonly isOpen: (file: DiffFile) => boolean;
  readonly review: Review;
};

const parsed = new WeakMap<DiffFile, Hunk[]>();

/** Returns the hunks of a file, parsed once. */
export function splitHunks(file: DiffFile): Hunk[] {
  const known = parsed.get(file) ?? parsePatch(file.patch);
  parsed.set(file, known);
  return known;
}

export function diffRows(files: readonly DiffFile[], wanted: DiffRowOptions): DiffRow[] {
  return files.flatMap((file, index): DiffRow[] => {
    const isOpen = wanted.isOpen(file);
    const head: DiffRow = { is: "file", key: file.path, file, isOpen };
    const rows = isOpen ? [head, ...toRows(file, wanted)] : [head];
    const isFirst = file.isBookkeeping && files[index - 1]?.isBookkeeping !== true;
    return isFirst ? [{ is: "group", key: "bookkeeping", file, text: BOOKKEEPING }, ...rows] : rows;
  });
}

const BOOKKEEPING = "Written by isdlc (merged with the work)";

function toRows(file: DiffFile, wanted: DiffRowOptions): DiffRow[] {
  const message = (text: string): DiffRow => ({ is: "message", key: `${file.path} message`, file, text });
  if (file.isBinary) return [message(`Binary file not shown: ${file.notShown}.`)];
  const hunks = splitHunks(file);
  if (hunks.length === 0)
    return [message(file.change === "renamed" ? "Renamed without changes to its lines." : "No lines changed.")];
  const earlierAt = anchored(wanted.review, file.path, () => newLines(hunks));
  const said: CommentsAt = { review: wanted.review, earlierAt };
  const rows = hunks.flatMap((hunk, index): DiffRow[] => [
    { is: "hunk", key: `${file.path} @${index}`, file, text: hunk.header },
    ...(wanted.layout === "unified" ? unified(file, hunk, said) : split(file, hunk, said)),
  ]);
  return file.isCut
    ? [...rows, message(`Truncated: ${file.notShown} are not shown. Open the file to see the rest.`)]
    : rows;
}

type CommentsAt = { readonly review: Review; readonly earlierAt: EarlierAt };

const newLines = (hunks: readonly Hunk[]): { line: number; text: string }[] =>
  hunks.flatMap(({ lines }) =>
    lines.flatMap(({ newNumber, text }) => (newNumber === null ? [] : [{ line: newNumber, text }])),
  );

function unified(file: DiffFile, hunk: Hunk, said: CommentsAt): DiffRow[] {
  const partners = new Map(
    pairLines(hunk).flatMap((pair) =>
      pair.left === null || pair.right === null
        ? []
        : ([
            [pair.left, pair.right],
            [pair.right, pair.left],
          ] as const),
    ),
  );
  return hunk.lines.flatMap((line): DiffRow[] => {
    const key = `${file.path} ${line.oldNumber ?? ""}:${line.newNumber ?? ""}`;
    return [{ is: "line", key, file, line, pair: partners.get(line) ?? null }, ...notesRows(file, [line], said)];
  });
}

function split(file: DiffFile, hunk: Hunk, said: CommentsAt): DiffRow[] {
  return pairLines(hunk).flatMap((pair): DiffRow[] => {
    const key = `${file.path} ${pair.left?.oldNumber ?? ""}|${pair.right?.newNumber ?? ""}`;
    const lines = [pair.left, pair.right].filter((line) => line !== null);
    return [{ is: "pair", key, file, ...pair }, ...notesRows(file, [...new Set(lines)], said)];
  });
}

/** Pairs removed lines with the added lines after them. */
export function pairLines({ lines }: Hunk): Pair[] {
  const pairs: Pair[] = [];
  let removed: PatchLine[] = [];
  let added: PatchLine[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null });
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed" && added.length > 0) flush();
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}

function notesRows(file: DiffFile, lines: readonly PatchLine[], { review, earlierAt }: CommentsAt): DiffRow[] {
  return lines.flatMap((line) =>
    linePlaces(file, line).flatMap((at): DiffRow[] => {
      const notes = notesAt(review, at, earlierAt);
      const key = `${at.path} notes ${at.side}${at.line}`;
      return hasNotes(notes) ? [{ is: "notes", key, file, notes }] : [];
    }),
  );
}

/** Returns the place of a line. A line on both sides has its new number. */
export function linePlace(file: DiffFile, line: PatchLine): Line {
  return line.newNumber === null
    ? { path: file.was ?? file.path, line: line.oldNumber ?? 1, side: "old" }
    : { path: file.path, line: line.newNumber, side: "new" };
}

const linePlaces = (file: DiffFile, line: PatchLine): Line[] => [linePlace(file, line)];
