import type { DiffFile, DiffView } from "../../schema/api-diff.ts";
import { changeFacts, hasReturnsOnly } from "../change-facts.ts";
import type { PatchFile } from "../patch-files.ts";
import { groupHeadings, type PatchFacts, type ReviewedFile, reviewPatch, sortReview } from "../review-patch.ts";
import { visibleChange, visibleReturns } from "../visible-change.ts";

export type Hash = (text: string) => string;

/** Maximum length of the patches in a response, in characters: of one file, and of all files together. */
export type DiffLimits = { readonly fileChars: number; readonly diffChars: number };
const LIMITS: DiffLimits = { fileChars: 1_500_000, diffChars: 12_000_000 };

type DiffOptions = Partial<PatchFacts> & { readonly limits?: DiffLimits | undefined };

/**
 * Splits a git patch into its files in review order, with the groups and the other orders to choose from. Lists all
 * files. A patch beyond the limits ends after a whole line.
 */
export function diffFiles(
  patch: string,
  hash: Hash,
  { limits: { fileChars, diffChars } = LIMITS, ...facts }: DiffOptions = {},
): Pick<DiffView, "files" | "groups" | "orders"> {
  const reviewed = reviewPatch(patch, { declared: new Map(), dependencies: new Map(), ...facts });
  const files = reviewed.map(({ file }) => file);
  const indexes = new Map(files.map((file, index) => [file, index]));
  const places = (order: "tree" | "name"): number[] =>
    sortReview(files, order).map(({ file }) => indexes.get(file) ?? 0); // the same objects
  let room = diffChars;
  return {
    files: reviewed.map((one) => {
      const hunks = one.file.text.replaceAll(HEAD, "").replace(/^\n+/, "");
      const shown = cutAtLine(hunks, Math.min(room, fileChars));
      room -= shown.length;
      return diffFile(one, { hash, hunks, shown });
    }),
    groups: groupHeadings(reviewed),
    orders: { tree: places("tree"), name: places("name") },
  };
}

/** `shown`: part of the hunks within the limits. */
type FileHunks = { readonly hash: Hash; readonly hunks: string; readonly shown: string };

function diffFile({ file, group, reason, toRead }: ReviewedFile, { hash, hunks, shown }: FileHunks): DiffFile {
  const { path, was, change, kind, added, removed, isBinary, text } = file;
  return {
    path,
    was,
    change,
    added,
    removed,
    isBinary,
    isCut: shown !== hunks,
    notShown: isBinary ? binaryText(text) : notShownText(hunks, shown),
    facts: changeFacts(file),
    isDocument: kind === "document",
    isBookkeeping: kind === "bookkeeping",
    group,
    reason,
    marks: [...file.marks],
    toRead,
    digest: hash(contentKey(file)).slice(0, 16),
    patch: visibleHunks(file, shown),
  };
}

/** Length of a whole object id of SHA-1. A shorter one can be made to fit other content. */
const WHOLE_ID_CHARS = 40;

/** Text that differs if the name, a mode or the content of either side does. */
function contentKey({ path, was, modes, blobs, text }: PatchFile): string {
  const isExact = blobs === null || [blobs.before, blobs.after].every(({ length }) => length >= WHOLE_ID_CHARS);
  return isExact ? JSON.stringify([path, was, modes, blobs]) : text;
}

/** Matches text outside hunks: the header of a file, or both headers of a replaced file. */
const HEAD = /(?<![^\n])diff --git [^]*?(?=\n@@ |$)/g;

/** Cuts after a whole line. A line stays together with git's note that it has no newline. */
function cutAtLine(hunks: string, room: number): string {
  if (hunks.length <= room) return hunks;
  const end = hunks.lastIndexOf("\n", room - 1);
  return hunks.charAt(end + 1) === "\\" ? cutAtLine(hunks, end) : hunks.slice(0, end + 1);
}

function visibleHunks({ text }: PatchFile, hunks: string): string {
  const visible = visibleChange(hunks);
  return hasReturnsOnly(text) ? visible.replaceAll("\r\n", "\n") : visibleReturns(visible);
}

const binaryText = (text: string): string => /^\(not shown: (.*)\)$/m.exec(text)?.[1] ?? "binary content";

function notShownText(hunks: string, shown: string): string {
  const all = byteLength(hunks);
  return shown === hunks ? "" : `${all - byteLength(shown)} of ${all} bytes of the diff`;
}

/** Counts each marked byte that is not UTF-8 as one. */
const byteLength = (text: string): number => new TextEncoder().encode(text.replaceAll(BYTE_MARK, "x")).length;
const BYTE_MARK = /<0x[0-9A-F]{2}>/g;
