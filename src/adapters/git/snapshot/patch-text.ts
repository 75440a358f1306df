import { isUtf8 } from "node:buffer";

/**
 * Notation of a byte that is not UTF-8. In a file with this notation as text, its first character is escaped like
 * that.
 */
export const BYTE_MARK = /<0x[0-9A-F]{2}>/g;
const NEWLINE = 0x0a;

/**
 * Returns the text of a patch. Bytes that are not UTF-8 stay distinguishable: two files in another encoding never look
 * the same.
 */
export function patchText(patch: Buffer): string {
  if (isUtf8(patch)) return withoutLookalikes(patch.toString("utf8"));
  const lines: string[] = [];
  for (let from = 0; from < patch.length;) {
    const newline = patch.indexOf(NEWLINE, from);
    const to = newline === -1 ? patch.length : newline + 1;
    lines.push(lineText(patch.subarray(from, to)));
    from = to;
  }
  return lines.join("");
}

const withoutLookalikes = (text: string): string => text.replaceAll(BYTE_MARK, (found) => `<0x3C>${found.slice(1)}`);

function lineText(line: Buffer): string {
  if (isUtf8(line)) return withoutLookalikes(line.toString("utf8"));
  let text = "";
  let valid = 0;
  for (let at = 0; at < line.length;) {
    const length = characterLength(line, at);
    if (length > 0) {
      at += length;
      continue;
    }
    text += withoutLookalikes(line.toString("utf8", valid, at));
    text += `<0x${(line[at] ?? 0).toString(16).toUpperCase().padStart(2, "0")}>`;
    valid = ++at;
  }
  return text + withoutLookalikes(line.toString("utf8", valid));
}

const MAX_CHARACTER_BYTES = 4;

/** Returns the length of the UTF-8 character at this position in bytes; 0 if there is none. */
function characterLength(line: Buffer, at: number): number {
  for (let length = 1; length <= MAX_CHARACTER_BYTES; length++)
    if (at + length <= line.length && isUtf8(line.subarray(at, at + length))) return length;
  return 0;
}
