import type { DiffFile } from "../../schema/api.ts";
import { changeFacts, hasReturnsOnly } from "../change-facts.ts";
import { type PatchFile, patchFiles } from "../patch-files.ts";
import { visibleChange, visibleReturns } from "../visible-change.ts";

export type Hash = (text: string) => string;

/** Maximum length of a file's patch in a response, in characters. A longer one must be read in an editor. */
const MAX_PATCH_LENGTH = 1_500_000;

/** Splits a git patch into its files: code, documents, then bookkeeping of isdlc, each by path. */
export const diffFiles = (patch: string, hash: Hash): DiffFile[] =>
  patchFiles(patch).map((file) => diffFile(file, hash));

function diffFile(file: PatchFile, hash: Hash): DiffFile {
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
    digest: hash(text).slice(0, 16),
    patch: hunks.slice(0, MAX_PATCH_LENGTH),
  };
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
