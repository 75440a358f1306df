import { readFileSync, statSync } from "node:fs";
import { nodeCrypto } from "../../file-system/node-crypto.ts";
import type { TreeEntry } from "../write/tree-entry.ts";

/** What is told of an entry at a glance, so that a large index need not be read as a whole. */
export type EntryGlance = {
  /** Path, as bytes in latin1 so that any name is kept. */
  readonly name: string;
  /** Other than 0 while a merge is not resolved. */
  readonly stage: number;
  /** Marked "assume unchanged". */
  readonly isAssumed: boolean;
  /** Marked "skip worktree". */
  readonly isSkipped: boolean;
  /** Only announced with `git add -N`: in no tree. */
  readonly isAnnounced: boolean;
  /** A repository of its own. */
  readonly isSubmodule: boolean;
  /**
   * Seconds; when the file's record had last changed as git last read it. A file with another one, git reads again. Null
   * where git goes by something else.
   */
  readonly recordedAt: number | null;
};

export type IndexEntry = TreeEntry & EntryGlance;

/** What git remembers of the trees it last wrote; null where a folder changed since. */
export type KnownTree = {
  readonly id: string | null;
  readonly count: number;
  readonly folders: ReadonlyMap<string, KnownTree>;
};

export type GitIndex = {
  /** Those that were wanted. */
  readonly entries: readonly IndexEntry[];
  /** Of all. */
  readonly count: number;
  readonly known: KnownTree | null;
};

/** Bytes; a larger one is read faster by git itself. */
export const MAX_INDEX_BYTES = 2 * 1024 * 1024;
/** The same where few of the entries are wanted: some three million. */
const MAX_SCANNED_INDEX_BYTES = 256 * 1024 * 1024;

/**
 * An index, read without starting git: an empty one where there is no such file. Null for everything that only git should
 * judge: a large or split or sparse one, other hashes than SHA-1, a version or a mark that is not known.
 */
export const readIndex = (file: string): GitIndex | null => readUpTo(MAX_INDEX_BYTES, file, () => true);

/** The same of those entries alone that are wanted, where the index may be large. */
export const readFromIndex = (file: string, isWanted: EntryFilter): GitIndex | null =>
  readUpTo(MAX_SCANNED_INDEX_BYTES, file, isWanted);

export type EntryFilter = (entry: EntryGlance) => boolean;

function readUpTo(most: number, file: string, isWanted: EntryFilter): GitIndex | null {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return { entries: [], count: 0, known: null };
    return found.isFile() && found.size <= most ? separated(parseIndex(readFileSync(file), isWanted)) : null;
  } catch {
    return null;
  }
}

/** The same for the bytes of an index, which its entries keep in memory. */
export function readIndexBytes(bytes: Buffer, isWanted: EntryFilter = () => true): GitIndex | null {
  try {
    return parseIndex(bytes, isWanted);
  } catch {
    return null;
  }
}

const HASH_BYTES = 20;
const HEADER_BYTES = 12;

function parseIndex(bytes: Buffer, isWanted: EntryFilter): GitIndex | null {
  const end = bytes.length - HASH_BYTES;
  if (end < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC" || !isWhole(bytes, end)) return null;
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4 || count * FLAGS_AT > end) return null;
  const entries: IndexEntry[] = [];
  const text = bytes.toString("latin1"); // names are parts of it, which is far quicker than decoding each
  let at = HEADER_BYTES;
  let before = "";
  for (let left = count; left > 0; left--) {
    const { glance, next } = glanceAt(bytes, at, { text, version, before });
    if (next > end) return null;
    if (isWanted(glance)) entries.push({ ...glance, ...contentAt(bytes, at) });
    before = glance.name;
    at = next;
  }
  const extensions = readExtensions(bytes, at, end);
  return extensions === null ? null : { entries, count, known: extensions };
}

function isWhole(bytes: Buffer, end: number): boolean {
  const hash = nodeCrypto().createHash("sha1").update(bytes.subarray(0, end)).digest();
  return hash.equals(bytes.subarray(end));
}

/** Of times, place, owner and size nothing is used but a time and the mode. */
const MODE_AT = 24;
const ID_AT = 40;
const FLAGS_AT = ID_AT + HASH_BYTES;
const SUBMODULE_MODE = 0o160000;
/** There git has the time at which a file was made in that place. */
const isWindows = process.platform === "win32";

type IndexText = { readonly text: string; readonly version: number; readonly before: string };

function glanceAt(bytes: Buffer, start: number, reading: IndexText): { glance: EntryGlance; next: number } {
  const { text, version } = reading;
  const flags = bytes.readUInt16BE(start + FLAGS_AT);
  const isExtended = (flags & 0x4000) !== 0;
  const marks = isExtended ? bytes.readUInt16BE(start + FLAGS_AT + 2) : 0;
  const nameAt = start + FLAGS_AT + (isExtended ? 4 : 2);
  const { name, end } = version === 4 ? shortened(bytes, nameAt, reading) : plain(text, nameAt);
  const glance = {
    name,
    stage: (flags >> 12) & 3,
    isAssumed: (flags & 0x8000) !== 0,
    isSkipped: (marks & 0x4000) !== 0,
    isAnnounced: (marks & 0x2000) !== 0,
    isSubmodule: bytes.readUInt32BE(start + MODE_AT) === SUBMODULE_MODE,
    recordedAt: isWindows ? null : bytes.readUInt32BE(start),
  };
  return { glance, next: version === 4 ? end + 1 : start + padded(end - start) };
}

const contentAt = (bytes: Buffer, start: number): TreeEntry => ({
  mode: bytes.readUInt32BE(start + MODE_AT).toString(8),
  id: bytes.toString("hex", start + ID_AT, start + FLAGS_AT),
});

/** With at least one NUL, to a multiple of eight. */
const padded = (length: number): number => (length + 8) & ~7;

function plain(text: string, at: number): { name: string; end: number } {
  const end = text.indexOf("\0", at);
  if (end === -1) throw endsEarly();
  return { name: text.slice(at, end), end };
}

const endsEarly = (): Error => new Error("the index ends early");

/** How many bytes of the name before do not count, then the rest. */
function shortened(bytes: Buffer, start: number, { text, before }: IndexText): { name: string; end: number } {
  let at = start;
  let dropped = bytes.readUInt8(at) & 0x7f;
  while ((bytes.readUInt8(at) & 0x80) !== 0) {
    at++;
    dropped = ((dropped + 1) << 7) | (bytes.readUInt8(at) & 0x7f);
  }
  if (dropped > before.length) throw new Error("the index names more than there is");
  const rest = plain(text, at + 1);
  return { name: before.slice(0, before.length - dropped) + rest.name, end: rest.end };
}

/** With names of their own: parts of a text keep all of it in memory. */
const separated = (index: GitIndex | null): GitIndex | null =>
  index && { ...index, entries: index.entries.map((entry) => ({ ...entry, name: separate(entry.name) })) };

const separate = (name: string): string => Buffer.from(name, "latin1").toString("latin1");

const NOTHING_KNOWN: KnownTree = { id: null, count: -1, folders: new Map() };

/** The trees that are known. Null for an extension that says where entries are, or how to read them. */
function readExtensions(bytes: Buffer, start: number, end: number): KnownTree | null {
  let known = NOTHING_KNOWN;
  for (let at = start; at < end;) {
    const name = bytes.toString("latin1", at, at + 4);
    const body = at + 8;
    if (!/^[A-Z]/.test(name)) return null; // git itself must understand these
    if (name === "TREE") known = readTree(bytes, body).tree;
    at = body + bytes.readUInt32BE(at + 4);
  }
  return known;
}

const LINE_BREAK = 0x0a;

function findPosition(bytes: Buffer, byte: number, start: number): number {
  const at = bytes.indexOf(byte, start);
  if (at === -1) throw endsEarly();
  return at;
}

/** `<name> NUL <number of entries> <number of folders> LF <id>`, then the folders; a number below 0 comes without id. */
function readTree(bytes: Buffer, start: number): { name: string; tree: KnownTree; next: number } {
  const nameEnd = findPosition(bytes, 0, start);
  const lineEnd = findPosition(bytes, LINE_BREAK, nameEnd);
  const [count = -1, subtrees = 0] = bytes
    .toString("latin1", nameEnd + 1, lineEnd)
    .split(" ")
    .map(Number);
  const hasId = count >= 0;
  const id = hasId ? bytes.toString("hex", lineEnd + 1, lineEnd + 1 + HASH_BYTES) : null;
  const folders = new Map<string, KnownTree>();
  let next = lineEnd + 1 + (hasId ? HASH_BYTES : 0);
  for (let left = subtrees; left > 0; left--) {
    const folder = readTree(bytes, next);
    folders.set(folder.name, folder.tree);
    next = folder.next;
  }
  return { name: bytes.toString("latin1", start, nameEnd), tree: { id, count, folders }, next };
}
