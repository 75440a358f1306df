import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { FolderTexts } from "../../core/import/foreign-spec.ts";
import { readDocumentText } from "./document-file.ts";

const MAX_SOURCE_FILES = 500;
const MAX_FOLDER_DEPTH = 4;
const TEXT = /^[^.].*\.(?:md|json)$/;

/** Reads the texts of a folder written by another tool. Links are not followed; only Markdown and JSON are read. */
export function readSourceFolder(folder: string): FolderTexts {
  const texts = new Map<string, string>();
  const walk = (below: string, depth: number): void => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (texts.size >= MAX_SOURCE_FILES) return;
      if (entry.isDirectory() && depth < MAX_FOLDER_DEPTH && !entry.name.startsWith(".")) walk(path, depth + 1);
      if (!entry.isFile() || !TEXT.test(entry.name)) continue;
      const text = readDocumentText(join(folder, ...path.split("/")));
      if (text !== null) texts.set(path, text);
    }
  };
  walk("", 1);
  return new Map([...texts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Returns the kind of a path, without following a link. */
export function readKind(path: string): "file" | "folder" | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return "file";
  return found?.isDirectory() === true ? "folder" : null;
}
