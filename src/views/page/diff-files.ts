import { isBookkeeping } from "../../core/items/bookkeeping.ts";
import type { DiffFile } from "../../schema/api.ts";

export type Hash = (text: string) => string;

/** Characters of one file's patch that are sent; a longer one is read in an editor. */
const FILE_LIMIT = 1_500_000;
const DOCUMENT = /\.(?:md|markdown|txt|rst|adoc)$/i;

/** A patch as git writes it, cut into its files; code first, then documents, each by path. */
export function diffFiles(patch: string, hash: Hash): DiffFile[] {
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  const files = parts.map((part) => diffFile(part, hash)).filter(({ path }) => !isBookkeeping(path));
  return files.toSorted(
    (one, other) => Number(one.isDocument) - Number(other.isDocument) || (one.path < other.path ? -1 : 1),
  );
}

function diffFile(part: string, hash: Hash): DiffFile {
  const start = /^@@ /m.exec(part)?.index ?? part.length;
  const head = part.slice(0, start).split("\n");
  const body = part.slice(start, start + FILE_LIMIT);
  const { path, was } = namesIn(head);
  const lines = body.split("\n");
  return {
    path,
    was: was === path ? null : was,
    change: changeOf(head),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
    isBinary: head.some((line) => line.startsWith("Binary files ") || line.startsWith("GIT binary patch")),
    isCut: part.length > start + FILE_LIMIT,
    isDocument: DOCUMENT.test(path),
    digest: hash(part).slice(0, 16),
    patch: body,
  };
}

function changeOf(head: readonly string[]): DiffFile["change"] {
  const has = (start: RegExp): boolean => head.some((line) => start.test(line));
  if (has(/^new file mode/)) return "added";
  if (has(/^deleted file mode/)) return "deleted";
  if (has(/^rename from /)) return "renamed";
  return has(/^old mode/) && !has(/^index /) ? "typechange" : "modified";
}

/** From the lines that hold one path each; the first line is the last resort, as a path may hold spaces. */
function namesIn(head: readonly string[]): { path: string; was: string } {
  const after = (start: RegExp): string | null => {
    const line = head.find((one) => start.test(one));
    return line === undefined ? null : unquoted(line.replace(start, ""));
  };
  const side = (start: RegExp): string | null => {
    const name = after(start);
    return name === null || name === "/dev/null" ? null : name.replace(/^[ab]\//, "");
  };
  const was = after(/^rename from /) ?? side(/^--- /);
  const path = after(/^rename to /) ?? side(/^\+\+\+ /) ?? was ?? nameInFirst(head[0] ?? "");
  return { path, was: was ?? path };
}

/** `diff --git a/x b/x`, where no other line tells: then both names are the same, whatever spaces they hold. */
function nameInFirst(line: string): string {
  const both = line.slice("diff --git ".length);
  return unquoted(both.slice((both.length + 1) / 2)).replace(/^b\//, "");
}

/** Git quotes names with unusual characters, byte by byte in octal. */
function unquoted(name: string): string {
  const bare = name.replace(/\t$/, "");
  if (!bare.startsWith('"') || !bare.endsWith('"')) return bare;
  const encoded = bare
    .slice(1, -1)
    .replaceAll(/%/g, "%25")
    .replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => `%${Number.parseInt(octal, 8).toString(16).padStart(2, "0")}`)
    .replaceAll(/\\(.)/g, (_all, character: string) => ESCAPED[character] ?? character);
  try {
    return decodeURIComponent(encoded);
  } catch {
    return bare;
  }
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
