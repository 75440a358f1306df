import { createContext } from "react";
import type { DiffRow } from "./diff-rows.ts";

export type Search = { readonly text: string; readonly isCase: boolean; readonly isExpression: boolean };
export const NO_SEARCH: Search = { text: "", isCase: false, isExpression: false };

/** Current search, to mark its matches in rendered lines. */
export const SearchContext = createContext<RegExp | null>(null);

/** Returns null without search text, and "invalid" if the text is not a regular expression. */
export function toExpression({ text, isCase, isExpression }: Search): RegExp | "invalid" | null {
  if (text === "") return null;
  try {
    return new RegExp(isExpression ? text : text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), isCase ? "gu" : "giu");
  } catch {
    return "invalid";
  }
}

export type Match = { readonly path: string; readonly key: string };

/** Returns rows with a match in their text or file name, in diff order. */
export const findMatches = (rows: readonly DiffRow[], expression: RegExp): Match[] =>
  rows
    .filter((row) => listTexts(row).some((text) => text.search(expression) !== -1))
    .map(({ file, key }) => ({ path: file.path, key }));

function listTexts(row: DiffRow): readonly string[] {
  if (row.is === "file") return [row.file.path];
  if (row.is === "line") return [row.line.text];
  return row.is === "pair" ? [row.left?.text ?? "", row.right?.text ?? ""] : [];
}
