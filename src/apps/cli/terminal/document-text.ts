import pc from "picocolors";
import { terminalMarkdown } from "../../../views/terminal-markdown.ts";
import type { Io } from "./io.ts";

/** Formats a document for a user at a terminal; returns it unchanged for a file or a program. */
export function documentText({ interactive, color, columns }: Io, markdown: string): string {
  return interactive ? `${terminalMarkdown(markdown, { columns, paint: pc.createColors(color) })}\n` : markdown;
}
