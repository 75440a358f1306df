import { formatCount } from "../core/count-of.ts";
import { type PatchFile, patchFiles } from "./patch-files.ts";
import { plainLine, plainText } from "./plain-text.ts";
import { visibleChange, visibleReturns } from "./visible-change.ts";

/** Git patches to display, each with a title if it needs one. */
export type ShownChanges = {
  /** Base of the comparison: `against main (a1b2c3d)`, `since the run began`. */
  readonly base: string;
  readonly parts: readonly { readonly title: string | null; readonly patch: string }[];
};

/** Formats the changes: a heading with their size, code before documents, bookkeeping in one final line. */
export function changesText({ base, parts }: ShownChanges): string {
  const read = parts.map(({ title, patch }) => ({ title, files: patchFiles(patch) }));
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
  parts.flatMap(({ patch }) => patchFiles(patch)).filter(isShown);

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
