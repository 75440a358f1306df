import type { ShownDiff } from "../schema/api-status.ts";
import type { FileChange } from "../schema/facts.ts";
import { isBookkeeping } from "../core/items/item-meta.ts";

/** One file of a git patch. */
export type PatchFile = Omit<ShownDiff["files"][number], "group" | "reason"> & {
  readonly modes: { readonly before: string | null; readonly after: string | null };
  /** Ids of the content on both sides. Null if the patch has none: only the mode or the name changed. */
  readonly blobs: { readonly before: string; readonly after: string } | null;
  /** Text in the patch, with header. */
  readonly text: string;
};

const DOCUMENT = /\.(?:md|markdown|txt|rst|adoc)$/i;
/** Start of a file. Only newlines end a line: a carriage return inside a line must not start a file. */
const FILE_START = /(?<![^\n])(?=diff --git )/;
const HUNK_START = /\n@@ /;

/** Splits a patch into its files, in the order of the patch. */
export function patchFiles(patch: string): PatchFile[] {
  const parts = patch.split(FILE_START).filter((part) => part.startsWith("diff --git "));
  return replacedTogether(parts.map(patchFile));
}

/** Joins entries if a file became a link or a link became a file: git writes a deletion and an addition. */
const replacedTogether = (files: readonly PatchFile[]): PatchFile[] =>
  files.flatMap((file, index): PatchFile[] => {
    if (isReplacement(file, files[index + 1])) return [];
    const before = files[index - 1];
    return before !== undefined && isReplacement(before, file) ? [replacement(before, file)] : [file];
  });

const isReplacement = (file: PatchFile, next: PatchFile | undefined): boolean =>
  next?.path === file.path && file.change === "deleted" && next.change === "added";

const replacement = (before: PatchFile, after: PatchFile): PatchFile => ({
  ...after,
  change: "typechange",
  removed: before.removed,
  modes: { before: before.modes.before, after: after.modes.after },
  blobs: { before: before.blobs?.before ?? "", after: after.blobs?.after ?? "" },
  isBinary: before.isBinary || after.isBinary,
  text: before.text + after.text,
});

function patchFile(text: string): PatchFile {
  const start = HUNK_START.exec(text)?.index ?? text.length;
  const head = text.slice(0, start).split("\n");
  const lines = text.slice(start + 1).split("\n");
  const { path, was } = namesIn(head);
  return {
    path,
    was: was === path ? null : was,
    change: parseChange(head),
    kind: fileKind(path),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    modes: modesIn(head),
    blobs: blobsIn(head),
    isBinary: head.some((line) => line.startsWith("Binary files ") || line === "GIT binary patch"),
    text,
  };
}

function fileKind(path: string): PatchFile["kind"] {
  if (isBookkeeping(path)) return "bookkeeping";
  return DOCUMENT.test(path) ? "document" : "code";
}

/** Reads the modes, such as `100755`. Null if the file does not exist on that side. */
function modesIn(head: readonly string[]): PatchFile["modes"] {
  const after = (start: string): string | null =>
    head.find((line) => line.startsWith(start))?.slice(start.length) ?? null;
  const kept = /^index \S+ (\d{6})$/m.exec(head.join("\n"))?.[1] ?? null;
  const [added, deleted] = [after("new file mode "), after("deleted file mode ")];
  return {
    before: added === null ? (deleted ?? after("old mode ") ?? kept) : null,
    after: deleted === null ? (added ?? after("new mode ") ?? kept) : null,
  };
}

function blobsIn(head: readonly string[]): PatchFile["blobs"] {
  const [, before, after] = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/m.exec(head.join("\n")) ?? [];
  return before === undefined || after === undefined ? null : { before, after };
}

function parseChange(head: readonly string[]): FileChange["change"] {
  const has = (start: string): boolean => head.some((line) => line.startsWith(start));
  if (has("new file mode ")) return "added";
  if (has("deleted file mode ")) return "deleted";
  if (has("rename to ")) return "renamed";
  return has("old mode ") && !has("index ") ? "typechange" : "modified";
}

/** Precedes the old name. */
const RENAMED = "rename from ";

/** Reads names from lines with one name each. The first line has two, which may contain spaces. */
function namesIn(head: readonly string[]): { readonly path: string; readonly was: string } {
  const after = (start: string): string | null => {
    const line = head.find((one) => one.startsWith(start));
    return line === undefined ? null : unquoted(line.slice(start.length).replace(/\t$/, ""));
  };
  const side = (start: string): string | null => {
    const name = after(start);
    return name === null || name === "/dev/null" ? null : name.slice("a/".length);
  };
  const was = after(RENAMED) ?? side("--- ");
  const path = after("rename to ") ?? side("+++ ") ?? was ?? sameName(head[0] ?? "");
  return { path, was: was ?? path };
}

/** Reads the name from `diff --git a/x b/x`. Both names are equal if no other line has one. */
function sameName(line: string): string {
  const both = line.slice("diff --git ".length);
  return unquoted(both.slice((both.length + 1) / 2)).slice("b/".length);
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", f: "\f", v: "\v" };

/** Decodes a name quoted by git: C escapes, and bytes in octal. */
function unquoted(name: string): string {
  if (name.length < 2 || !name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes = [...name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)].flatMap(
    ([, octal, escaped, plain]) => {
      if (octal !== undefined) return [Number.parseInt(octal, 8)];
      return [...new TextEncoder().encode(escaped === undefined ? plain : (ESCAPED[escaped] ?? escaped))];
    },
  );
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
