import type { ReviewGroup, ReviewOrder } from "../core/review-order/review-order.ts";
import { attentionText } from "../core/changes/attention.ts";
import { formatCount } from "../core/duration.ts";
import type { PatchFile } from "./patch-files.ts";
import { plainLine, plainText } from "./plain-text.ts";
import {
  groupHeadings,
  type PatchFacts,
  type ReviewedFile,
  reviewPatch,
  sortReview,
  withShortIds,
} from "./review-patch.ts";
import { visibleChange, visibleReturns } from "./visible-change.ts";
import { wordDiff } from "./word-diff.ts";

/** Git patches to display, each with a title if it needs one. */
export type ShownChanges = {
  /** Base of the comparison: `against main (a1b2c3d)`, `since the run started`. */
  readonly base: string;
  readonly parts: readonly { readonly title: string | null; readonly patch: string; readonly facts?: PatchFacts }[];
};

/** What to show of the changes. Default: everything but the content of folded files, in review order. */
export type ChangesOptions = {
  readonly order?: ReviewOrder;
  /** Only the files of this group, with their content. */
  readonly group?: ReviewGroup | null;
  /** True for the list of files without their content. */
  readonly isList?: boolean;
  readonly isWordDiff?: boolean;
  /** True to include the content of folded files. */
  readonly isComplete?: boolean;
};

/** Formats the changes: a heading with their size, then each group with its files and reasons, then their patches. */
export function changesText({ base, parts }: ShownChanges, options: ChangesOptions = {}): string {
  const read = parts.map(({ title, patch, facts }) => ({ title, files: ordered(reviewPatch(patch, facts), options) }));
  const all = read.flatMap(({ files }) => files);
  if (all.length === 0) return `Nothing has changed ${plainLine(base)}.`;
  const shown = all.filter(isShown);
  const bookkeeping = all.filter((file) => !isShown(file));
  return [
    `Changes ${plainLine(base)}: ${formatCount(shown.length, "file")}, ${sizeText(shown.map(({ file }) => file))}`,
    "",
    ...read.flatMap(({ title, files }) => partLines(title, files.filter(isShown), options)),
    ...(bookkeeping.length === 0 ? [] : [`Bookkeeping, not shown: ${bookkeeping.map(fileSize).join(", ")}`]),
  ].join("\n");
}

const ordered = (files: readonly ReviewedFile[], { order = "review" }: ChangesOptions): readonly ReviewedFile[] =>
  order === "review"
    ? files
    : sortReview(
        files.map(({ file }) => file),
        order,
      );

/** Returns the displayed files of all parts: everything except bookkeeping. */
export const shownFiles = ({ parts }: ShownChanges): PatchFile[] =>
  parts
    .flatMap(({ patch, facts }) => reviewPatch(patch, facts))
    .filter(isShown)
    .map(({ file }) => file);

/** Formats added and removed lines: `+40 -2`. */
export function sizeText(files: readonly Pick<PatchFile, "added" | "removed">[]): string {
  const sum = (side: "added" | "removed"): number => files.reduce((total, file) => total + file[side], 0);
  return `+${sum("added")} -${sum("removed")}`;
}

const isShown = ({ file }: ReviewedFile): boolean => file.kind !== "bookkeeping";
const fileSize = ({ file }: ReviewedFile): string => `${plainLine(file.path, 200)} ${sizeText([file])}`;

function partLines(title: string | null, files: readonly ReviewedFile[], options: ChangesOptions): string[] {
  if (files.length === 0) return [];
  const heading = title === null ? [] : [`${title}:`];
  const { order = "review", group = null } = options;
  if (order !== "review") return [...heading, ...files.map(fileLine), "", ...patches(files, options)];
  const groups = groupHeadings(files).filter((one) => group === null || one.group === group);
  return [
    ...heading,
    ...groups.flatMap(({ group: name, title: text, why, lines, minutes }) => {
      const own = files.filter((one) => one.group === name);
      const reading = name === "folded" ? "" : `, ${attentionText({ lines, minutes })}`;
      return [
        `${text} (${formatCount(own.length, "file")}${reading}): ${why}`,
        ...own.map(fileLine),
        "",
        ...patches(own, options),
      ];
    }),
  ];
}

/** One line per file with its reason, and its marks under it. */
function fileLine(one: ReviewedFile): string {
  const marks = one.file.marks.map((mark) => `\n      ${plainLine(mark, 300)}`);
  return `  ${fileSize(one)}: ${plainLine(one.reason, 200)}${marks.join("")}`;
}

function patches(files: readonly ReviewedFile[], options: ChangesOptions): string[] {
  const { isList = false, isWordDiff = false, group = null, isComplete = false } = options;
  if (isList) return [];
  const open = files.filter((one) => one.group !== "folded" || group === "folded" || isComplete);
  const closed = files.length - open.length;
  return [
    ...open.map(({ file }) =>
      visible(isWordDiff ? wordDiff(withShortIds(file.text)) : withShortIds(file.text)).replace(/\n$/, ""),
    ),
    ...(closed === 0
      ? []
      : [`Not shown: ${formatCount(closed, "folded file")}. See: isdlc gate --diff --group folded`]),
  ];
}

const visible = (text: string): string => plainText(visibleReturns(visibleChange(text)));
