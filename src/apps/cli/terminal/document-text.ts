import pc from "picocolors";
import { terminalMarkdown } from "../../../views/terminal-markdown.ts";
import type { Io } from "./io.ts";

/** A document for whoever reads it here: laid out for a person at a terminal, as it is for a file or a program. */
export function documentText({ interactive, color, columns }: Io, markdown: string): string {
  return interactive ? `${terminalMarkdown(markdown, { columns, paint: pc.createColors(color) })}\n` : markdown;
}
