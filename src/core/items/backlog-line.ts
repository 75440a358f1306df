export type Marker = " " | "~" | "A" | "x";

/** `- 16.2 [A] Title`: prefix, number, marker, text. */
export const MARKER_REGEX = /^([ \t]*-[ \t]+)([0-9]+\.[0-9]+)[ \t]+\[([ ~Ax])\][ \t]+(\S.*)$/;
/** `- [x] #16 Title [github: GH-16] -> [requirements](path)`: prefix, marker, optional number, text. */
const CHECKLIST_REGEX = /^([ \t]*-[ \t]+)\[([ ~AxX])\][ \t]+(?:(#[0-9]{1,18})[ \t]+)?(\S.*)$/;

const MAX_BACKLOG_LINE_LENGTH = 10_000;

export type BacklogEntry = {
  readonly prefix: string;
  /** `16.2` or `#16`; null if only the link or the reference identifies the item. */
  readonly itemNumber: string | null;
  readonly marker: Marker;
  readonly description: string;
};

/** An entry with its identifying parts separated. */
export type BacklogItem = BacklogEntry & {
  readonly line: string;
  /** Position of the marker in the line. */
  readonly markerAt: number;
  /** Description without reference and link. */
  readonly title: string;
  /** Name of the item's folder, from its own link at the end of the line. */
  readonly folder: string | null;
  /** `GH-16`, from `[github: GH-16]`. */
  readonly reference: string | null;
};

/** Parses a line. Null for headings, notes, and checklists without an item's number, folder or reference. */
export function parseBacklogLine(line: unknown): BacklogEntry | null {
  const item = readBacklogItem(line);
  if (item === null) return null;
  const { prefix, itemNumber, marker, description } = item;
  return { prefix, itemNumber, marker, description };
}

/** Parses a line like `parseBacklogLine` and separates its identifying parts. */
export function readBacklogItem(line: unknown): BacklogItem | null {
  if (typeof line !== "string" || line.length > MAX_BACKLOG_LINE_LENGTH) return null;
  const bare = line.trimEnd();
  const entry = numberedEntry(bare) ?? checklistEntry(bare);
  if (entry === null) return null;
  const { title, folder } = splitLink(entry.description);
  const reference = REFERENCE.exec(title)?.[1] ?? null;
  if (entry.itemNumber === null && folder === null && reference === null) return null;
  const markerAt = bare.indexOf("[", entry.prefix.length) + 1;
  return { ...entry, line: bare, markerAt, title: title.replace(REFERENCE, "").trim(), folder, reference };
}

const REFERENCE = /\[(?:github|jira): ?([A-Za-z0-9-]{1,40})\]/;

function numberedEntry(line: string): BacklogEntry | null {
  const [, prefix, itemNumber, mark, description] = MARKER_REGEX.exec(line) ?? [];
  if (prefix === undefined || itemNumber === undefined || description === undefined) return null;
  return { prefix, itemNumber, marker: toMarker(mark), description };
}

function checklistEntry(line: string): BacklogEntry | null {
  const [, prefix, mark, itemNumber = null, description] = CHECKLIST_REGEX.exec(line) ?? [];
  if (prefix === undefined || description === undefined) return null;
  return { prefix, itemNumber, marker: toMarker(mark), description };
}

function toMarker(mark: string | undefined): Marker {
  if (mark === "~" || mark === "A") return mark;
  return mark === "x" || mark === "X" ? "x" : " ";
}

/**
 * Formats the text of an item's line. Escapes brackets in the title, which could imitate the item's own reference or
 * link.
 */
export function backlogDescription(
  title: string,
  { reference, folder }: { reference: string | null; folder: string },
): string {
  const plain = oneLine(title).replaceAll(/[[\]]/g, String.raw`\$&`);
  const source = reference === null ? "" : ` [${reference.startsWith("GH-") ? "github" : "jira"}: ${reference}]`;
  return `${plain}${source} -> [requirements](${folder}/)`;
}

/** Puts text on one line: line breaks and control characters become spaces, and long text is cut. */
export function oneLine(text: string): string {
  return text
    .slice(0, MAX_BACKLOG_LINE_LENGTH / 2)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

/** Splits off the item's own link at the end of the line. Links inside a title are text. */
function splitLink(description: string): { title: string; folder: string | null } {
  const [ascii, sign] = [description.lastIndexOf("->"), description.lastIndexOf("→")];
  const at = Math.max(ascii, sign);
  if (at === -1) return { title: description, folder: null };
  const target = /^\[[^\]]*\]\(([^()\s]+)\)$/.exec(description.slice(at + (at === ascii ? 2 : 1)).trim())?.[1];
  if (target === undefined) return { title: description, folder: null };
  return { title: description.slice(0, at).trim(), folder: parseFolder(target) };
}

/** Returns `login` for `docs/requirements/login/` and `docs/requirements/login/requirements-spec.md`. */
function parseFolder(target: string): string | null {
  const segments = target.split("/").filter((segment) => segment !== "");
  const last = segments.at(-1) ?? "";
  const name = !target.endsWith("/") && /\.[a-z]{1,5}$/.test(last) ? segments.at(-2) : last;
  return name === undefined || name === "" ? null : name;
}
