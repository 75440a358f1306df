import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

export const readDocument = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Names in a project folder with the given ending, without it. */
export const namesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length));

/** All Markdown files of the project, tracked or new, as listed by git. */
export function markdownFiles(): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "*.md"];
  const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
  return listed.split("\0").filter((path) => path !== "" && !path.startsWith("demo/") && existsSync(join(ROOT, path)));
}

export type Fence = { readonly language: string; readonly rest: string; readonly text: string };

/** Fenced blocks in order. */
export function fencesOf(markdown: string): Fence[] {
  const blocks = markdown.matchAll(/^```(\S*)[ \t]*(.*)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = "", rest = "", text = ""]) => ({ language, rest, text }));
}

export const withoutFences = (markdown: string): string => markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");

/** Cells of the table under a heading row that starts with the given cell. */
export function tableUnder(markdown: string, firstCell: string): string[][] {
  const lines = withoutFences(markdown).split("\n");
  const head = lines.findIndex((line) => line.startsWith(`| ${firstCell} |`));
  if (head === -1) return [];
  const body = lines.slice(head + 2);
  const end = body.findIndex((line) => !line.startsWith("|"));
  return body.slice(0, end === -1 ? undefined : end).map(cellsOf);
}

const cellsOf = (row: string): string[] =>
  row
    .replace(/^\|/, "")
    .replace(/\|\s*$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
