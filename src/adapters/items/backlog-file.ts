import type { BacklogItem, Marker } from "../../core/items/backlog-line.ts";
import { backlogItems, backlogLine, withItem, withMarker, withoutItem } from "../../core/items/backlog-text.ts";
import { editDocument, readDocument, replaceDocument } from "./document-file.ts";

const MARKERS: readonly unknown[] = [" ", "~", "A", "x"];

/** Sets the marker of the item's own line. False when there is no such line or it could not be written; the rest of the file stays byte for byte. */
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
    return false; // a link in its place, a full disk
  }
}

/** Takes the item's own line out. False when there is none, or it could not be written. */
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
    return false; // a link in its place, a full disk
  }
}

/** True where the backlog has a line that is the item's own, by its link, number or title. */
export function hasBacklogLine(file: string, slug: string): boolean {
  try {
    return withMarker(readDocument(file)?.text ?? "", slug, " ") !== null;
  } catch {
    return false; // a link in its place
  }
}

/** Adds a line at the end of the open items, and the file where there is none. False when it could not be written. */
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

/** The item with a number: `16.2`, or `#16` of an issue. */
export function findBacklogItemByNumber(file: unknown, number: unknown): BacklogItem | null {
  return readItems(file).find(({ itemNumber }) => itemNumber !== null && itemNumber === number) ?? null;
}

/** Items whose title holds the words, whatever their case; the one with exactly that title stands for itself. */
export function searchBacklogTitles(file: unknown, words: unknown): BacklogItem[] {
  const wanted = isText(words) ? words.trim().toLowerCase() : "";
  if (wanted === "") return [];
  const found = readItems(file).filter(({ title }) => title.toLowerCase().includes(wanted));
  const exact = found.filter(({ title }) => title.toLowerCase() === wanted);
  return exact.length === 1 ? exact : found;
}

/** Every item of a backlog; none where the file is missing or no plain file. */
export function readItems(file: unknown): BacklogItem[] {
  try {
    return isText(file) ? backlogItems(readDocument(file)?.text ?? "") : [];
  } catch {
    return [];
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "" && !value.includes("\0");
const isMarker = (value: unknown): value is Marker => MARKERS.includes(value);
