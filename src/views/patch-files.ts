import { isBookkeeping } from "../core/items/bookkeeping.ts";
import type { ShownDiff } from "../schema/api-status.ts";
import type { FileChange } from "../schema/facts.ts";

/** One file of a patch as git writes it. */
export type PatchFile = ShownDiff["files"][number] & {
  readonly modes: { readonly before: string | null; readonly after: string | null };
  /** As it stands in the patch, header included. */
  readonly text: string;
};

const DOCUMENT = /\.(?:md|markdown|txt|rst|adoc)$/i;
/** Lines end with a newline alone: a carriage return inside of one must not begin a file. */
const FILE_START = /(?<![^\n])(?=diff --git )/;
const HUNK_START = /\n@@ /;

/** A patch cut into its files: code first, then documents, then bookkeeping, each by path. */
export function patchFiles(patch: string): PatchFile[] {
  const parts = patch.split(FILE_START).filter((part) => part.startsWith("diff --git "));
  return replacedTogether(parts.map(patchFile)).toSorted(byKindAndPath);
}

/** Git tells a file that became a link, or a link that became a file, as one deleted and one added. */
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
  isBinary: before.isBinary || after.isBinary,
  text: before.text + after.text,
});

const KINDS = ["code", "document", "bookkeeping"] as const;

const byKindAndPath = (one: PatchFile, other: PatchFile): number =>
  KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || (one.path < other.path ? -1 : 1);

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
    isBinary: head.some((line) => line.startsWith("Binary files ") || line === "GIT binary patch"),
    text,
  };
}

function fileKind(path: string): PatchFile["kind"] {
  if (isBookkeeping(path)) return "bookkeeping";
  return DOCUMENT.test(path) ? "document" : "code";
}

/** As git writes them, `100755`; null if the file does not exist on that side. */
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

function parseChange(head: readonly string[]): FileChange["change"] {
  const has = (start: string): boolean => head.some((line) => line.startsWith(start));
  if (has("new file mode ")) return "added";
  if (has("deleted file mode ")) return "deleted";
  if (has("rename to ")) return "renamed";
  return has("old mode ") && !has("index ") ? "typechange" : "modified";
}

/** What stands before the old name. */
const RENAMED = "rename from ";

/** From the lines that hold one name each; the first line holds two, which may have spaces in them. */
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

/** `diff --git a/x b/x` where no other line has a name: then both are the same. */
function sameName(line: string): string {
  const both = line.slice("diff --git ".length);
  return unquoted(both.slice((both.length + 1) / 2)).slice("b/".length);
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\u0007", b: "\b", f: "\f", v: "\v" };

/** Git quotes unusual names: C escapes, and bytes in octal. */
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
