import { join, sep } from "node:path";
import { type ItemMeta, type MetaFields, metaFrom, metaToWrite, withFields } from "../../core/items/item-meta.ts";
import type { MetaReading } from "../../ports/items.ts";
import { validatePhasesCompleted } from "../../core/items/analysis-status.ts";
import { isRecord } from "../../core/own-value.ts";
import { folderExists, nodeFiles } from "../files/file-system.ts";
import {
  editDocument,
  type FoundDocument,
  errorMessage,
  readDocument,
  readDocumentText,
  replaceDocument,
} from "./document-file.ts";

export type MetaWriting = { readonly written: true } | { readonly written: false; readonly warning: string };

/** Reads an item's `meta.json`, and distinguishes missing from damaged files. Never throws. */
export function inspectMeta(dir: unknown): MetaReading {
  let text: string | null = null;
  try {
    const document = readMetaDocument(fileIn(dir));
    text = document?.text ?? null;
    const found = document === null ? null : { record: recordFrom(document.text), document };
    const meta = metaFrom(found?.record, new Date().toISOString());
    if (found === null || meta === null) return { is: "missing" };
    const listed = found.record["phases_completed"];
    return { is: "found", meta, warnings: listed === undefined ? [] : notAList(listed) };
  } catch (error) {
    return {
      is: "damaged",
      warning: `meta.json was not read, so the item counts as not analyzed: ${errorMessage(error)}`,
      text,
    };
  }
}

const notAList = (value: unknown): string[] =>
  Array.isArray(value) ? [] : [...validatePhasesCompleted(value).warnings];

/** Returns the meta, or null if it is missing or damaged. */
export function readMetaJson(dir: unknown): ItemMeta | null {
  const reading = inspectMeta(dir);
  return reading.is === "found" ? reading.meta : null;
}

/** Does the same for a folder just listed as a real one, which is not checked again. */
export function readListedMeta(dir: string, now: string): ItemMeta | null {
  try {
    const text = readDocumentText(`${dir}${sep}meta.json`);
    return text === null ? null : metaFrom(recordFrom(text), now);
  } catch {
    return null;
  }
}

/** Writes an item's meta as readable JSON, with the status derived from the completed phases. Never throws. */
export function writeMetaJson(dir: unknown, meta: unknown): MetaWriting {
  return attempt(() => {
    const file = fileIn(dir);
    if (!isRecord(meta)) throw new Error("the meta is not an object");
    write(file, metaToWrite(meta), readDocument(file));
  });
}

/**
 * Sets the engine's own fields in the existing file. A damaged file stays unchanged: a user must fix it. Never throws.
 */
export function mergeMeta(dir: unknown, fields: MetaFields): MetaWriting {
  return attempt(() => {
    const file = fileIn(dir);
    const found = readRecord(file);
    write(file, withFields(found?.record ?? {}, fields), found?.document ?? null);
  });
}

/**
 * Removes a build's completion time if it is equal to `completedAt`.
 * @throws if the file cannot be written
 */
export function withdrawCompletion(dir: string, completedAt: string): void {
  editDocument(() => {
    const file = fileIn(dir);
    const found = readRecord(file);
    if (found === null || found.record["build_completed_at"] !== completedAt) return;
    const { build_completed_at: _taken, ...rest } = found.record;
    write(file, rest, found.document);
  });
}

function attempt(action: () => void): MetaWriting {
  try {
    editDocument(action);
    return { written: true };
  } catch (error) {
    return { written: false, warning: `meta.json was not written: ${errorMessage(error)}` };
  }
}

function fileIn(dir: unknown): string {
  if (typeof dir !== "string" || dir === "" || dir.includes("\0")) throw new Error("the item's folder is not a path");
  return join(dir, "meta.json");
}

type FoundRecord = { readonly record: Record<string, unknown>; readonly document: FoundDocument };

function readRecord(file: string): FoundRecord | null {
  const document = readMetaDocument(file);
  return document === null ? null : { record: recordFrom(document.text), document };
}

const readMetaDocument = (file: string): FoundDocument | null =>
  folderExists(nodeFiles, join(file, "..")) ? readDocument(file) : null;

/**
 * Saves a damaged file under another name and writes a new one. Returns that name.
 * @throws if a file cannot be written
 */
export function replaceDamaged(dir: string, damaged: string, meta: Record<string, unknown>): string {
  const names = new Set(nodeFiles.readdirSync(dir));
  let number = 1;
  while (names.has(`meta.json.damaged-${number}`)) number++;
  const aside = `meta.json.damaged-${number}`;
  editDocument(() => {
    replaceDocument(join(dir, aside), damaged, null);
    write(fileIn(dir), metaToWrite(meta), readDocument(fileIn(dir)));
  });
  return aside;
}

function recordFrom(text: string): Record<string, unknown> {
  const record: unknown = JSON.parse(text.startsWith("\u{FEFF}") ? text.slice(1) : text);
  if (!isRecord(record)) throw new Error("it holds no object");
  return record;
}

function write(file: string, record: Record<string, unknown>, found: FoundDocument | null): void {
  if (!folderExists(nodeFiles, join(file, ".."))) throw new Error("the item has no folder");
  const text = `${JSON.stringify(record, null, 2)}\n`;
  if (text !== found?.text) replaceDocument(file, text, found);
}
