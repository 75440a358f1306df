import type { DiffFile } from "../../schema/api.ts";
import { type PatchFile, patchFiles } from "../patch-files.ts";

export type Hash = (text: string) => string;

/** Characters of one file's patch that are sent; a longer one is read in an editor. */
const FILE_LIMIT = 1_500_000;

/** A patch as git writes it, cut into its files; code first, then documents, each by path. */
export const diffFiles = (patch: string, hash: Hash): DiffFile[] =>
  patchFiles(patch)
    .filter(({ kind }) => kind !== "bookkeeping")
    .map((file) => diffFile(file, hash));

function diffFile({ path, was, change, kind, added, removed, isBinary, text }: PatchFile, hash: Hash): DiffFile {
  const start = text.indexOf("\n@@ ") + 1;
  const hunks = start === 0 ? "" : text.slice(start);
  return {
    path,
    was,
    change,
    added,
    removed,
    isBinary,
    isCut: hunks.length > FILE_LIMIT,
    isDocument: kind === "document",
    digest: hash(text).slice(0, 16),
    patch: hunks.slice(0, FILE_LIMIT),
  };
}
