/** Wraps lines between words at the screen width. Continuation lines keep the indent of the text. */
export const wrapLines = (text: string, columns: number): string =>
  text
    .split("\n")
    .flatMap((line) => wrapped(line, Math.max(columns, NARROWEST)))
    .join("\n");

/** Lines to copy: commands, patches and code. A line break would change them. */
const VERBATIM =
  /^(?:\s+(?:[A-Z_]+=\S+ )*(?:isdlc|git|gh|glab|cd|npm) |(?:Next|Or|Start one|To continue): |[+@\\]|\t| {4,}\S)/;

/** Wraps one line of a command's output. A text of several lines is a document, which has its format. */
export const fitLine = (line: string, columns: number): string =>
  VERBATIM.test(line) || line.includes("\n") ? line : wrapLines(line, columns);

/** Minimum width in columns, used for narrower terminals. */
const NARROWEST = 30;

function wrapped(line: string, columns: number): string[] {
  if (line.length <= columns) return [line];
  const indent = " ".repeat(/^\s*(?:- |\[.\] )?/.exec(line)?.[0].length ?? 0);
  const lines: string[] = [];
  let rest = line;
  while (rest.length > columns) {
    const space = rest.lastIndexOf(" ", columns);
    const isWord = space <= indent.length; // a word wider than the screen, such as a path, stays in one piece
    const end = isWord ? rest.indexOf(" ", columns) : space;
    if (end === -1) break;
    lines.push(rest.slice(0, end));
    rest = `${indent}${rest.slice(end + 1).trimStart()}`;
  }
  return [...lines, rest];
}

/** Lists items two spaces apart, on as many lines as needed. No item is broken. */
export function wrapItems(items: readonly string[], columns: number): string {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const longer = last === undefined ? item : `${last}  ${item}`;
    if (last !== undefined && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(item);
  }
  return lines.join("\n");
}
