/* oxlint-disable no-misleading-character-class -- each of these is meant by itself */
import type { PatchFile } from "./patch-files.ts";
import { reviewPatch } from "./review-patch.ts";
import { plainLine, plainText } from "./plain-text.ts";
import { formatCount } from "../core/duration.ts";

/** Text in a file that looks like an inserted mark: its first character is marked. */
const LOOKALIKES = /<(?=U\+[0-9A-F]{4,6}>)|[\u2400-\u2421\ufffd]/g;
/** Characters that look like a space, and joiners, which `plainText` allows next to emoji. */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f]/g;
/** Characters that look like ASCII: letter-like punctuation, hyphens, full-width and mathematical letters. */
const SIGNS =
  /[\u01c3\u02b9-\u02bc\u02c8\u02d0\u037e\u0387\u05c3\u2010\u2011\u2024\u2044\u2212\u2215\u2236\u2223\u29f5\u29f8\ua789\uff01-\uff5e]|[\u{1d400}-\u{1d7ff}]/gu;
const ASCII_ONLY = /^[\t\n\r\u0020-\u007e]*$/;
const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;
const LATIN = /\p{Script=Latin}/u;
const OTHER = /(?!\p{Script=Latin})\p{L}/u;
const OTHERS = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;
/** Letters of other scripts that most fonts draw like Latin ones. */
const CONFUSABLE = /^[АВЕЅІЈКМНОРСТУХаеоѕіјрсухһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναԍպոսօ]+$/u;

/**
 * Replaces characters of a change that are invisible or look like others with visible marks. Leaves control characters
 * and marks without a shape to `plainText`.
 */
export function visibleChange(text: string): string {
  if (ASCII_ONLY.test(text)) return text.replaceAll(LOOKALIKES, mark);
  return text
    .replaceAll(LOOKALIKES, mark)
    .split("\n")
    .map((line) => (ASCII_ONLY.test(line) ? line : visibleLine(line)))
    .join("\n");
}

/** Makes carriage returns visible, which terminals and browsers do not show. */
export const visibleReturns = (text: string): string => text.replaceAll("\r", "\u240d");

function visibleLine(line: string): string {
  const composed = markUncomposed(line);
  const words = composed.match(WORD) ?? [];
  const isForeign = words.some((word) => OTHER.test(word) && !LATIN.test(word) && !CONFUSABLE.test(word));
  return composed
    .replaceAll(WORD, (word) => {
      if (LATIN.test(word)) return word.replaceAll(OTHERS, mark);
      return !isForeign && CONFUSABLE.test(word) ? word.replaceAll(/./gsu, mark) : word;
    })
    .replaceAll(SPACES, mark)
    .replaceAll(SIGNS, mark);
}

/** Marks letters that are not in NFC, because they look the same as composed ones. */
function markUncomposed(line: string): string {
  if (line.normalize("NFC") === line) return line;
  return line.replaceAll(/\P{M}\p{M}*/gu, (cluster) => {
    if (cluster.normalize("NFC") === cluster) return cluster;
    const [base = "", ...marks] = cluster;
    return (base.normalize("NFC") === base ? base : mark(base)) + marks.map(mark).join("");
  });
}

const mark = (sign: string): string => `<U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;

/** Git patches to display, each with a title if it needs one. */
export type ShownChanges = {
  /** Base of the comparison: `against main (a1b2c3d)`, `since the run started`. */
  readonly base: string;
  readonly parts: readonly { readonly title: string | null; readonly patch: string }[];
};

/** Formats the changes: a heading with their size, code before documents, bookkeeping in one final line. */
export function changesText({ base, parts }: ShownChanges): string {
  const read = parts.map(({ title, patch }) => ({ title, files: orderedFiles(patch) }));
  const all = read.flatMap(({ files }) => files);
  if (all.length === 0) return `Nothing has changed ${plainLine(base)}.`;
  const shown = all.filter(isShown);
  const bookkeeping = all.filter((file) => !isShown(file));
  return [
    `Changes ${plainLine(base)}: ${formatCount(shown.length, "file")}, ${sizeText(shown)}`,
    "",
    ...read.flatMap(({ title, files }) => partLines(title, files.filter(isShown))),
    ...(bookkeeping.length === 0 ? [] : [`Bookkeeping, not shown: ${bookkeeping.map(fileSize).join(", ")}`]),
  ].join("\n");
}

/** Returns the displayed files of all parts: everything except bookkeeping. */
export const shownFiles = ({ parts }: ShownChanges): PatchFile[] =>
  parts.flatMap(({ patch }) => orderedFiles(patch)).filter(isShown);

const orderedFiles = (patch: string): PatchFile[] => reviewPatch(patch).map(({ file }) => file);

/** Formats added and removed lines: `+40 -2`. */
export function sizeText(files: readonly Pick<PatchFile, "added" | "removed">[]): string {
  const sum = (side: "added" | "removed"): number => files.reduce((total, file) => total + file[side], 0);
  return `+${sum("added")} -${sum("removed")}`;
}

const isShown = ({ kind }: PatchFile): boolean => kind !== "bookkeeping";
const fileSize = (file: PatchFile): string => `${plainLine(file.path, 200)} ${sizeText([file])}`;

function partLines(title: string | null, files: readonly PatchFile[]): string[] {
  if (files.length === 0) return [];
  return [...(title === null ? [] : [`${title}:`]), ...files.map(({ text }) => visible(text).replace(/\n$/, ""))];
}

const visible = (text: string): string => plainText(visibleReturns(visibleChange(text)));
