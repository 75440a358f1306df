import { plainText } from "./plain-text.ts";
import { wrapLines } from "./wrap-lines.ts";

type Style = (text: string) => string;

/** Terminal styles for Markdown. Without colors, each returns its text unchanged. */
export type Paint = {
  readonly bold: Style;
  readonly dim: Style;
  readonly italic: Style;
  readonly cyan: Style;
};

export type Page = { readonly columns: number; readonly paint: Paint };

/** Formats Markdown for a terminal: no markup, lines wrapped between words, aligned columns. */
export function terminalMarkdown(text: string, page: Page): string {
  return splitBlocks(plainText(text).split("\n"))
    .flatMap((block) => render(block, page))
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

type Block = { readonly is: "code" | "table" | "text"; readonly lines: readonly string[] };

const FENCE = /^ {0,3}(?:```|~~~)/;
const ROW = /^\s*\|.*\|\s*$/;

function splitBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (FENCE.test(line)) {
      const end = lines.findIndex((other, index) => index > at && FENCE.test(other));
      const last = end === -1 ? lines.length : end;
      blocks.push({ is: "code", lines: lines.slice(at + 1, last) });
      at = last;
    } else if (ROW.test(line)) {
      const rows = lines.slice(at);
      const size = rows.findIndex((other) => !ROW.test(other));
      const table = size === -1 ? rows : rows.slice(0, size);
      blocks.push({ is: "table", lines: table });
      at += table.length - 1;
    } else blocks.push({ is: "text", lines: [line] });
  }
  return blocks;
}

function render(block: Block, page: Page): string[] {
  if (block.is === "code") return block.lines.map((line) => page.paint.cyan(`    ${line}`));
  if (block.is === "table") return tableLines(block.lines, page);
  return block.lines.flatMap((line) => textLines(line, page));
}

const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/;
const ITEM = /^(\s*)(?:[-*+]|([0-9]+[.)]))\s+(?:\[([ xX])\]\s+)?(.*)$/;

function textLines(line: string, { columns, paint }: Page): string[] {
  const heading = HEADING.exec(line);
  if (heading !== null) {
    const [, marks = "", title = ""] = heading;
    const shown = withoutMarks(title);
    return ["", paint.bold(shown), ...(marks.length === 1 ? [paint.dim("=".repeat(shown.length))] : [])];
  }
  if (RULE.test(line)) return [paint.dim("-".repeat(Math.min(columns, 44)))];
  return inline(wrapLines(listItem(line) ?? line.replace(/^> ?/, "  "), columns), paint).split("\n");
}

/** Formats a list item. Returns null for other lines. */
function listItem(line: string): string | null {
  const item = ITEM.exec(line);
  if (item === null) return null;
  const [, indent = "", number = "-", box, words = ""] = item;
  const tick = box === undefined ? "" : box === " " ? "[ ] " : "[x] ";
  return `${indent}${number} ${tick}${words}`;
}

const LINK = /!?\[((?:[^\]\\]|\\.)*)\]\(([^)]*)\)/g;
const CODE = /(`+)(.+?)\1/gs; // may contain a line break from wrapping
const STRONG = /\*\*(?=\S)(.+?)(?<=\S)\*\*/gs; // not the form with underscores: __init__.py is a name
const EMPHASIS = /(?<![\w*\\])([*_])(?![\s*_])(.+?)(?<![\s*_])\1(?![\w*])/g;
const ESCAPED = /\\([!-/:-@[-`{-~])/g;

/** Separates code first, because it contains no markup. */
function inline(text: string, paint: Paint): string {
  return text
    .split(CODE)
    .map((part, at) => (at % 3 === 2 ? paint.cyan(part) : at % 3 === 1 ? "" : marked(part, paint)))
    .join("");
}

/** Returns true for URLs, which are printed after the link text. A link to a project file has its name as text. */
const isElsewhere = (target: string): boolean => /^[a-z]+:/i.test(target);

const marked = (text: string, paint: Paint): string =>
  text
    .replaceAll(LINK, (_all, words: string, target: string) => (isElsewhere(target) ? `${words} (${target})` : words))
    .replaceAll(STRONG, (_all, words: string) => paint.bold(words))
    .replaceAll(EMPHASIS, (_all, _mark, words: string) => paint.italic(words))
    .replaceAll(ESCAPED, "$1");

const PLAIN: Paint = { bold: String, dim: String, italic: String, cyan: String };
const withoutMarks = (text: string): string => inline(text, PLAIN);

function tableLines(rows: readonly string[], { paint }: Page): string[] {
  const cells = rows.filter((row) => !/^[\s|:-]+$/.test(row)).map(splitCells);
  const widths = (cells[0] ?? []).map((_cell, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells.map((row, at) => {
    const line = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
    return at === 0 ? paint.bold(line.trimEnd()) : line.trimEnd();
  });
}

/** Splits a row into cells. An escaped bar is part of its cell. */
const splitCells = (row: string): string[] =>
  row
    .trim()
    .replaceAll(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => withoutMarks(cell.trim()));
