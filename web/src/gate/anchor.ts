import type { CommentPlace } from "../../../src/schema/comments.ts";

export type TextLine = { readonly line: number; readonly text: string };
/** `isChanged`: the commented lines differ, but the lines around them are the same. */
export type Anchor = { readonly line: number; readonly isChanged: boolean };

export const MAX_QUOTE_CHARS = 2000;
const MAX_CONTEXT_CHARS = 500;
/** Lines that may have been added between the lines around a comment. */
const MAX_ADDED_LINES = 10;

export type LineRange = { readonly from: number; readonly to: number };
export type QuotedRange = Pick<CommentPlace, "line" | "quote" | "endLine" | "context">;

/** Returns the parts of a place that find it again: its text and the text around it. Null without its first line. */
export function quoteRange(lines: readonly TextLine[], { from, to }: LineRange): QuotedRange | null {
  const start = lines.findIndex(({ line }) => line === from);
  if (start === -1) return null;
  let end = start;
  while (end + 1 < lines.length && (lines[end + 1]?.line ?? 0) <= to && isNext(lines, end)) end++;
  const endLine = lines[end]?.line ?? from;
  return {
    line: from,
    quote: joinLines(lines, { from: start, to: end }),
    ...(endLine === from ? {} : { endLine }),
    context: { before: textBefore(lines, start), after: textAfter(lines, end) },
  };
}

/**
 * Finds a commented place in the current lines: the same text, preferably between the same lines, then nearest to its
 * old number. If the text changed, the place between the same two lines. Null if there is neither.
 */
export function findAnchor(lines: readonly TextLine[], place: CommentPlace): Anchor | null {
  const exact = listExact(lines, place);
  const best = exact.toSorted((a, b) => rank(lines, place, b) - rank(lines, place, a))[0];
  if (best !== undefined) return { line: lines[best]?.line ?? place.line, isChanged: false };
  const around = between(lines, place);
  return around === null ? null : { line: around, isChanged: true };
}

/** Blank lines all look the same: they match only next to the same line. */
function listExact(lines: readonly TextLine[], place: CommentPlace): number[] {
  const count = rangeLength(place);
  const isBlank = place.quote.trim() === "";
  return lines.flatMap((_line, start) => {
    if (joinLines(lines, { from: start, to: start + count - 1 }) !== place.quote) return [];
    return isBlank && place.context !== undefined && sharedContext(lines, place, start) === 0 ? [] : [start];
  });
}

const rangeLength = ({ line, endLine = line }: CommentPlace): number => endLine - line + 1;

/** Orders by shared context, then by distance. */
const rank = (lines: readonly TextLine[], place: CommentPlace, start: number): number =>
  sharedContext(lines, place, start) - Math.min(0.9, Math.abs((lines[start]?.line ?? 0) - place.line) / 1_000_000);

function sharedContext(lines: readonly TextLine[], place: CommentPlace, start: number): number {
  const { context } = place;
  if (context === undefined) return 0;
  const isBefore = textBefore(lines, start) === context.before;
  const isAfter = textAfter(lines, start + rangeLength(place) - 1) === context.after;
  return (isBefore ? 1 : 0) + (isAfter ? 1 : 0);
}

function between(lines: readonly TextLine[], place: CommentPlace): number | null {
  const { context } = place;
  if (context === undefined || context.before === "" || context.after === "") return null;
  const most = rangeLength(place) + MAX_ADDED_LINES;
  const found = lines.flatMap(({ text }, at) => {
    if (clip(text) !== context.before) return [];
    const after = lines.slice(at + 1, at + 2 + most).findIndex((one) => clip(one.text) === context.after);
    return after === -1 ? [] : [(lines[at + 1] ?? lines[at])?.line ?? place.line];
  });
  return found.toSorted((a, b) => Math.abs(a - place.line) - Math.abs(b - place.line))[0] ?? null;
}

/** Returns false between two parts of a diff. */
const isNext = (lines: readonly TextLine[], at: number): boolean =>
  lines[at + 1]?.line === (lines[at]?.line ?? Number.NaN) + 1;

const joinLines = (lines: readonly TextLine[], { from, to }: LineRange): string =>
  lines
    .slice(from, to + 1)
    .map(({ text }) => text)
    .join("\n")
    .slice(0, MAX_QUOTE_CHARS);

const clip = (text: string): string => text.slice(0, MAX_CONTEXT_CHARS);
const hasText = ({ text }: TextLine): boolean => text.trim() !== "";
const textBefore = (lines: readonly TextLine[], start: number): string =>
  clip(lines[lastIndexBefore(lines, start)]?.text ?? "");
const textAfter = (lines: readonly TextLine[], end: number): string =>
  clip(lines.slice(end + 1, end + 1 + MAX_ADDED_LINES).find(hasText)?.text ?? "");

function lastIndexBefore(lines: readonly TextLine[], start: number): number {
  let at = start - 1;
  while (at >= 0 && at >= start - MAX_ADDED_LINES && !hasText(lines[at] ?? { line: 0, text: "" })) at--;
  return at >= start - MAX_ADDED_LINES ? at : -1;
}

/** Returns the lines of a whole text. */
export const numberLines = (lines: readonly string[]): TextLine[] =>
  lines.map((text, index) => ({ line: index + 1, text }));
