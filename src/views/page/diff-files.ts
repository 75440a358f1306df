import type { DiffFile, DiffView } from "../../schema/api-diff.ts";
import { changeFacts, hasReturnsOnly } from "../change-facts.ts";
import type { PatchFile } from "../patch-files.ts";
import { groupHeadings, type PatchFacts, type ReviewedFile, reviewPatch, sortReview } from "../review-patch.ts";
import { visibleChange, visibleReturns } from "../visible-change.ts";

export type Hash = (text: string) => string;

/** Maximum length of a file's patch in a response, in characters. A longer one must be read in an editor. */
const MAX_PATCH_LENGTH = 1_500_000;

/** Splits a git patch into its files in review order, with the groups and the other orders to choose from. */
export function diffFiles(
  patch: string,
  hash: Hash,
  facts?: PatchFacts,
): Pick<DiffView, "files" | "groups" | "orders"> {
  const reviewed = reviewPatch(patch, facts);
  const files = reviewed.map(({ file }) => file);
  const indexes = new Map(files.map((file, index) => [file, index]));
  const places = (order: "tree" | "name"): number[] =>
    sortReview(files, order).map(({ file }) => indexes.get(file) ?? 0); // the same objects
  return {
    files: reviewed.map((file) => diffFile(file, hash)),
    groups: groupHeadings(reviewed),
    orders: { tree: places("tree"), name: places("name") },
  };
}

function diffFile({ file, group, reason, toRead }: ReviewedFile, hash: Hash): DiffFile {
  const { path, was, change, kind, added, removed, isBinary, text } = file;
  const hunks = visibleHunks(file);
  return {
    path,
    was,
    change,
    added,
    removed,
    isBinary,
    isCut: hunks.length > MAX_PATCH_LENGTH,
    notShown: isBinary ? binaryText(text) : notShownText(hunks),
    facts: changeFacts(file),
    isDocument: kind === "document",
    isBookkeeping: kind === "bookkeeping",
    group,
    reason,
    marks: [...file.marks],
    toRead,
    digest: hash(contentKey(file)).slice(0, 16),
    patch: hunks.slice(0, MAX_PATCH_LENGTH),
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

function visibleHunks(file: PatchFile): string {
  const hunks = file.text.replaceAll(HEAD, "").replace(/^\n+/, "");
  const visible = visibleChange(hunks);
  return hasReturnsOnly(file.text) ? visible.replaceAll("\r\n", "\n") : visibleReturns(visible);
}

const binaryText = (text: string): string => /^\(not shown: (.*)\)$/m.exec(text)?.[1] ?? "binary content";

const notShownText = (hunks: string): string =>
  hunks.length > MAX_PATCH_LENGTH ? `${hunks.length - MAX_PATCH_LENGTH} of ${hunks.length} characters` : "";
