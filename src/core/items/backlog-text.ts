import { type BacklogItem, type Marker, oneLine, readBacklogItem } from "./backlog-line.ts";
import { generateSlug } from "./item-source.ts";

type BacklogTextLine = {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly isCode: boolean;
};
type PlacedItem = BacklogItem & { readonly start: number };

/** Lists the items of a backlog in file order, without code blocks. */
export function backlogItems(text: string): BacklogItem[] {
  return placedItems(text);
}

/** Changes the marker of the item's line; every other byte stays. Null if no line belongs to the item. */
export function withMarker(text: string, slug: string, marker: Marker): string | null {
  const item = ownItem(placedItems(text), slug);
  if (item === null) return null;
  const at = item.start + item.markerAt;
  return `${text.slice(0, at)}${marker}${text.slice(at + 1)}`;
}

/** Removes the item's line; every other byte stays. Null if no line belongs to the item. */
export function withoutItem(text: string, slug: string): string | null {
  const item = ownItem(placedItems(text), slug);
  if (item === null) return null;
  const end = text.indexOf("\n", item.start);
  return `${text.slice(0, item.start)}${end === -1 ? "" : text.slice(end + 1)}`;
}

/** Adds a line after the last open item. */
export function withItem(text: string, line: string): string {
  const ending = /\r?\n/.exec(text)?.[0] ?? "\n";
  const body = text === "" ? ["# Backlog", "", "## Open", "", "## Completed", ""].join(ending) : text;
  const lines = splitLines(body);
  const open = lines.findIndex(isHeading("open"));
  return open === -1
    ? withOpenSection(body, lines, { line, ending })
    : inserted(body, endOfSection(lines, open), { line, ending });
}

/** Formats a line: `- 16.2 [ ] Title`, or `- [ ] #16 Title` for an issue number, or without a number. */
export function backlogLine(number: string | null, description: string, marker: Marker): string {
  const text = oneLine(description);
  if (number !== null && /^[0-9]+\.[0-9]+$/.test(number)) return `- ${number} [${marker}] ${text}`;
  return number !== null && /^#[0-9]+$/.test(number) ? `- [${marker}] ${number} ${text}` : `- [${marker}] ${text}`;
}

const ITEM_ID = /^(?:REQ|BUG|UPG)-[0-9]+-/i;

/** Returns `REQ-0007` for a folder with an assigned number, null for others. */
export const itemId = (folder: string): string | null => ITEM_ID.exec(folder)?.[0].slice(0, -1) ?? null;

/** Removes the assigned number from a folder name. */
export const withoutItemId = (folder: string): string => folder.replace(ITEM_ID, "");

/** Finds the line that links to the item. Without a link, the only line with its number, reference or whole title. */
function ownItem(items: readonly PlacedItem[], slug: string): PlacedItem | null {
  const wanted = slug.toLowerCase();
  const isTitled = (item: BacklogItem) => [wanted, withoutItemId(wanted)].includes(generateSlug(item.title));
  const linked = items.filter((item) => item.folder?.toLowerCase() === wanted);
  if (linked.length > 0) return linked.find(isTitled) ?? linked[0] ?? null;
  const free = items.filter((item) => item.folder === null);
  const named = free.filter((item) => item.itemNumber === slug || item.reference?.toLowerCase() === wanted);
  const candidates = named.length > 0 ? named : free.filter(isTitled);
  return candidates.length === 1 ? (candidates[0] ?? null) : null;
}

function placedItems(text: string): PlacedItem[] {
  return splitLines(text).flatMap((line) => {
    const item = line.isCode ? null : readBacklogItem(line.text);
    return item === null ? [] : [{ ...item, start: line.start }];
  });
}

function splitLines(text: string): BacklogTextLine[] {
  const lines: BacklogTextLine[] = [];
  let inCode = false;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found + 1;
    const line = text.slice(start, end).replace(/\r?\n$/, "");
    const isFence = line.startsWith("```") || line.startsWith("~~~");
    lines.push({ text: line, start, end, isCode: inCode || isFence });
    if (isFence) inCode = !inCode;
    start = end;
  }
  return lines;
}

const isHeading =
  (name: string) =>
  (line: BacklogTextLine): boolean =>
    !line.isCode && line.text.startsWith("## ") && line.text.slice(3).trim().toLowerCase() === name;

/** Returns the end of the last non-empty line in the section. */
function endOfSection(lines: readonly BacklogTextLine[], heading: number): number {
  const after = lines.findIndex((line, index) => index > heading && !line.isCode && /^##? /.test(line.text));
  const section = lines.slice(heading, after === -1 ? lines.length : after);
  const last = section.findLast((line) => line.text.trim() !== "");
  return last?.end ?? 0;
}

type Insertion = { readonly line: string; readonly ending: string };

function inserted(text: string, at: number, { line, ending }: Insertion): string {
  const before = text.slice(0, at);
  const gap = before === "" || before.endsWith("\n") ? "" : ending;
  const isFirst = /^##[^\n]*\n?$/.test(before.slice(before.trimEnd().lastIndexOf("\n") + 1));
  return `${before}${gap}${isFirst ? ending : ""}${line}${ending}${text.slice(at)}`;
}

/** Adds the open section before the completed items, or at the end of the file. */
function withOpenSection(text: string, lines: readonly BacklogTextLine[], { line, ending }: Insertion): string {
  const completed = lines.find(isHeading("completed"));
  const section = `## Open${ending}${ending}${line}${ending}`;
  if (completed !== undefined)
    return `${text.slice(0, completed.start)}${section}${ending}${text.slice(completed.start)}`;
  const gap = text.endsWith("\n") ? ending : `${ending}${ending}`;
  return `${text}${gap}${section}`;
}
