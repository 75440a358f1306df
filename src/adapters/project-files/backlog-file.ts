import type { BacklogItem, Marker } from "../../core/items/backlog-line.ts";
import { backlogItems, backlogLine, withItem, withMarker, withoutItem } from "../../core/items/backlog-text.ts";
import { editDocument, readDocument, replaceDocument } from "./document-file.ts";

const MARKERS: readonly unknown[] = [" ", "~", "A", "x"];

/**
 * Sets the marker of the item's own line. Returns false if the line is missing or the write failed. The rest of the
 * file stays unchanged, byte for byte.
 */
export function updateBacklogMarker(file: unknown, slug: unknown, marker: unknown): boolean {
  if (!isText(file) || !isText(slug) || !isMarker(marker)) return false;
  try {
    return editDocument(() => {
      const found = readDocument(file);
      const text = found === null ? null : withMarker(found.text, slug, marker);
      if (found === null || text === null) return false;
      if (text !== found.text) replaceDocument(file, text, found);
      return true;
    });
  } catch {
    return false; // a link instead of the file, a full disk
  }
}

/** Removes the item's own line. Returns false if the line is missing or the write failed. */
export function removeFromBacklog(file: string, slug: string): boolean {
  try {
    return editDocument(() => {
      const found = readDocument(file);
      const text = found === null ? null : withoutItem(found.text, slug);
      if (found === null || text === null) return false;
      replaceDocument(file, text, found);
      return true;
    });
  } catch {
    return false; // a link instead of the file, a full disk
  }
}

/** True if the backlog has a line of the item, identified by its link, number or title. */
export function hasBacklogLine(file: string, slug: string): boolean {
  try {
    return withMarker(readDocument(file)?.text ?? "", slug, " ") !== null;
  } catch {
    return false; // a link instead of the file
  }
}

/** Adds a line after the open items, and creates a missing file. Returns false if the write failed. */
// oxlint-disable-next-line max-params -- the published signature
export function appendToBacklog(file: unknown, number: unknown, description: unknown, marker: unknown = " "): boolean {
  if (!isText(file) || typeof description !== "string" || description.trim() === "" || !isMarker(marker)) return false;
  try {
    const line = backlogLine(isText(number) ? number : null, description, marker);
    return editDocument(() => {
      const found = readDocument(file);
      replaceDocument(file, withItem(found?.text ?? "", line), found);
      return true;
    });
  } catch {
    return false;
  }
}

/** Finds the item with a number: `16.2`, or `#16` of an issue. */
export function findBacklogItemByNumber(file: unknown, number: unknown): BacklogItem | null {
  return readItems(file).find(({ itemNumber }) => itemNumber !== null && itemNumber === number) ?? null;
}

/**
 * Finds the items with these words in the title, ignoring case. If exactly one title equals the words, returns only
 * that item.
 */
export function searchBacklogTitles(file: unknown, words: unknown): BacklogItem[] {
  const wanted = isText(words) ? words.trim().toLowerCase() : "";
  if (wanted === "") return [];
  const found = readItems(file).filter(({ title }) => title.toLowerCase().includes(wanted));
  const exact = found.filter(({ title }) => title.toLowerCase() === wanted);
  return exact.length === 1 ? exact : found;
}

/** Lists all items of a backlog. Empty if the file is missing or not a plain file. */
export function readItems(file: unknown): BacklogItem[] {
  try {
    return isText(file) ? backlogItems(readDocument(file)?.text ?? "") : [];
  } catch {
    return [];
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "" && !value.includes("\0");
const isMarker = (value: unknown): value is Marker => MARKERS.includes(value);
