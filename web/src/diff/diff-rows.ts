import type { DiffFile, DiffView } from "../../../src/schema/api-diff.ts";
import {
  anchored,
  type EarlierAt,
  hasNotes,
  isSameFile,
  type CommentLine,
  type Notes,
  notesAt,
  type NoteSources,
  noteSources,
  type Review,
} from "../gate/review-context.ts";
import type { TextLine } from "../gate/anchor.ts";
import { type Hunk, parsePatch, type PatchLine } from "./parse-patch.ts";

export type Layout = "unified" | "split";
export type SplitRow = { readonly left: PatchLine | null; readonly right: PatchLine | null };

/** One row of the diff. The diff is a flat list of rows, to render only those on the screen. */
export type DiffRow = { readonly key: string; readonly file: DiffFile } & (
  | { readonly is: "file"; readonly isOpen: boolean }
  | { readonly is: "group"; readonly text: string }
  | { readonly is: "hunk"; readonly text: string }
  | { readonly is: "line"; readonly line: PatchLine; readonly pair: PatchLine | null }
  | ({ readonly is: "pair" } & SplitRow)
  | { readonly is: "notes"; readonly notes: Notes }
  /** `isPart`: the file has bytes that the page does not show. */
  | { readonly is: "message"; readonly text: string; readonly isPart?: boolean }
);

export type DiffRowOptions = {
  readonly layout: Layout;
  /** Shows lines that differ only in white space as unchanged. */
  readonly ignoresSpaces: boolean;
  /** Headings of the review order. Empty in other orders. */
  readonly groups: DiffView["groups"];
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
  const rows: DiffRow[] = [];
  for (const [index, file] of files.entries()) {
    const group = groupText(file, wanted);
    if (group !== null && group !== groupText(files[index - 1], wanted))
      rows.push({ is: "group", key: `group ${group}`, file, text: group });
    const isOpen = wanted.isOpen(file);
    rows.push({ is: "file", key: file.path, file, isOpen });
    if (isOpen) for (const row of contentRows(file, wanted)) rows.push(row);
  }
  return rows;
}

function groupText(file: DiffFile | undefined, { groups }: DiffRowOptions): string | null {
  if (file === undefined) return null;
  if (file.isBookkeeping) return BOOKKEEPING;
  const group = groups.find((one) => one.group === file.group);
  return group === undefined ? null : `${group.title} (${group.files}): ${group.why}`;
}

const indexes = new WeakMap<readonly DiffRow[], ReadonlyMap<string, number>>();

/** Returns the index of a row, or -1. */
export function indexOfRow(rows: readonly DiffRow[], key: string): number {
  const known = indexes.get(rows) ?? new Map(rows.map((row, index) => [row.key, index]));
  indexes.set(rows, known);
  return known.get(key) ?? -1;
}

type FileNotes = NoteSources & { readonly earlier: Review["earlier"] };
type BuiltRows = { readonly notes: FileNotes; readonly ignoresSpaces: boolean; readonly rows: readonly DiffRow[] };

const built: { readonly [L in Layout]: WeakMap<DiffFile, BuiltRows> } = {
  unified: new WeakMap(),
  split: new WeakMap(),
};

/**
 * Returns the rows of a file's content. They are built again only after a change of its own notes: marking or closing
 * one file does not touch the rows of others.
 */
function contentRows(file: DiffFile, { layout, ignoresSpaces, review }: DiffRowOptions): readonly DiffRow[] {
  const notes = fileNotes(file, review);
  const known = built[layout].get(file);
  if (known !== undefined && known.ignoresSpaces === ignoresSpaces && isSameNotes(known.notes, notes))
    return known.rows;
  const rows = toRows(file, { layout, ignoresSpaces }, notes);
  built[layout].set(file, { notes, ignoresSpaces, rows });
  return rows;
}

function fileNotes({ path, was }: DiffFile, review: Review): FileNotes {
  const { drafts, findings, failed } = noteSources(review);
  const isOwn = (place: { readonly path: string } | null): boolean => place?.path === path || place?.path === was;
  const isNamed = ({ file }: { readonly file: string | null }): boolean => file !== null && isSameFile(file, path);
  return {
    drafts: drafts.filter(({ place }) => isOwn(place)),
    findings: findings.filter(isNamed),
    failed: failed.filter(isNamed),
    earlier: review.earlier.filter(({ comment }) => isOwn(comment.place) && !review.isResolved(comment.id)),
  };
}

const isSameNotes = (one: FileNotes, other: FileNotes): boolean =>
  isSameList(one.drafts, other.drafts) &&
  isSameList(one.findings, other.findings) &&
  isSameList(one.failed, other.failed) &&
  isSameList(one.earlier, other.earlier);

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((element, index) => element === other[index]);

const BOOKKEEPING = "Written by isdlc (merged with the work)";

type ContentOptions = Pick<DiffRowOptions, "layout" | "ignoresSpaces">;

function toRows(file: DiffFile, { layout, ignoresSpaces }: ContentOptions, notes: FileNotes): DiffRow[] {
  const message = (text: string, isPart = false): DiffRow => ({
    is: "message",
    key: `${file.path} message`,
    file,
    text,
    isPart,
  });
  if (file.isBinary) return [message(`Binary file not shown: ${file.notShown}.`, true)];
  const all = splitHunks(file);
  const hunks = ignoresSpaces ? all.map(withoutSpaceChanges) : all;
  const cut = file.isCut ? [message(`Truncated: ${file.notShown} are not shown.`, true)] : [];
  if (hunks.length === 0 && file.isCut) return cut;
  if (hunks.length === 0)
    return [message(file.change === "renamed" ? "Renamed without changes to its lines." : "No lines changed.")];
  const unresolved = { earlier: notes.earlier, isResolved: () => false, path: file.path };
  const said: CommentsAt = { notes, earlierAt: anchored(unresolved, () => sideLines(file, "new")) };
  const rows = hunks.flatMap((hunk, index): DiffRow[] => [
    { is: "hunk", key: `${file.path} @${index}`, file, text: hunk.header },
    ...(layout === "unified" ? unified(file, hunk, said) : split(file, hunk, said)),
  ]);
  return [...rows, ...cut];
}

/** Replaces pairs of lines that differ only in white space by the new line, as context. */
function withoutSpaceChanges(hunk: Hunk): Hunk {
  const lines = pairLines(hunk).flatMap(({ left, right }): PatchLine[] => {
    if (left === null || right === null || left === right) return [left ?? right].filter((line) => line !== null);
    if (compact(left.text) !== compact(right.text)) return [left, right];
    return [{ ...right, kind: "context", oldNumber: left.oldNumber, isSpaceOnly: true }];
  });
  return { ...hunk, lines: removedFirst(lines) };
}

const compact = (text: string): string => text.replaceAll(/\s+/g, "");

/** Restores the order of a patch within each block: removed lines before added ones. */
function removedFirst(lines: readonly PatchLine[]): PatchLine[] {
  const found: PatchLine[] = [];
  let block: PatchLine[] = [];
  const flush = (): void => {
    found.push(...block.filter(({ kind }) => kind === "removed"), ...block.filter(({ kind }) => kind === "added"));
    block = [];
  };
  for (const line of lines) {
    if (line.kind !== "context") block.push(line);
    else {
      flush();
      found.push(line);
    }
  }
  flush();
  return found;
}

type CommentsAt = { readonly notes: NoteSources; readonly earlierAt: EarlierAt };

/** Returns the lines of one side that the diff contains. */
export const sideLines = (file: DiffFile, side: CommentLine["side"]): TextLine[] =>
  splitHunks(file).flatMap(({ lines }) =>
    lines.flatMap(({ oldNumber, newNumber, text }) => {
      const line = side === "old" ? oldNumber : newNumber;
      return line === null ? [] : [{ line, text }];
    }),
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
export function pairLines({ lines }: Hunk): SplitRow[] {
  const pairs: SplitRow[] = [];
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

function notesRows(file: DiffFile, lines: readonly PatchLine[], { notes: sources, earlierAt }: CommentsAt): DiffRow[] {
  return lines.flatMap((line) =>
    linePlaces(file, line).flatMap((at): DiffRow[] => {
      const notes = notesAt(sources, at, earlierAt);
      const key = `${at.path} notes ${at.side}${at.line}`;
      return hasNotes(notes) ? [{ is: "notes", key, file, notes }] : [];
    }),
  );
}

/** Returns the place of a line. A line on both sides has its new number. */
export function linePlace(file: DiffFile, line: PatchLine): CommentLine {
  return line.newNumber === null
    ? { path: file.was ?? file.path, line: line.oldNumber ?? 1, side: "old" }
    : { path: file.path, line: line.newNumber, side: "new" };
}

const linePlaces = (file: DiffFile, line: PatchLine): CommentLine[] => [linePlace(file, line)];
