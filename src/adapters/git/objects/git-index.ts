import { statSync } from "node:fs";
import { nodeCrypto } from "../../files/node-crypto.ts";
import type { TreeEntry } from "./tree-entries.ts";
import { readBounded } from "../../files/file-system.ts";

/** Fields of an entry that are cheap to read, to avoid parsing a large index completely. */
export type EntryGlance = {
  /** Path as bytes in latin1, which preserves any name. */
  readonly name: string;
  /** Not 0 during an unresolved merge. */
  readonly stage: number;
  /** Marked "assume unchanged". */
  readonly isAssumed: boolean;
  /** Marked "skip worktree". */
  readonly isSkipped: boolean;
  /** Added with `git add -N` only: not in any tree. */
  readonly isAnnounced: boolean;
  readonly isSubmodule: boolean;
  /**
   * Time of the file's last status change (ctime) in seconds, as git last read it. If the ctime differs, git reads the
   * file again. Null if git uses other data.
   */
  readonly recordedAt: number | null;
};

export type IndexEntry = TreeEntry & EntryGlance;

/** Git's cache of the trees it last wrote. The id is null if the folder changed since then. */
export type KnownTree = {
  readonly id: string | null;
  readonly count: number;
  readonly folders: ReadonlyMap<string, KnownTree>;
};

export type GitIndex = {
  /** Entries accepted by the filter. */
  readonly entries: readonly IndexEntry[];
  /** Number of all entries. */
  readonly count: number;
  readonly known: KnownTree | null;
};

/** Git itself reads a larger index faster. */
export const MAX_INDEX_BYTES = 2 * 1024 * 1024;
/** Limit if only a few entries are wanted: about three million entries. */
const MAX_SCANNED_INDEX_BYTES = 256 * 1024 * 1024;

/**
 * Reads an index without starting git. Returns an empty index if the file is missing. Returns null for everything that
 * only git should interpret: a large, split or sparse index, hashes other than SHA-1, an unknown version or extension.
 */
export const readIndex = (file: string): GitIndex | null => readUpTo(MAX_INDEX_BYTES, file, () => true);

/** Like `readIndex`, but reads only wanted entries and accepts a large index. */
export const readFromIndex = (file: string, isWanted: EntryFilter): GitIndex | null =>
  readUpTo(MAX_SCANNED_INDEX_BYTES, file, isWanted);

export type EntryFilter = (entry: EntryGlance) => boolean;

function readUpTo(most: number, file: string, isWanted: EntryFilter): GitIndex | null {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return { entries: [], count: 0, known: null };
    return found.isFile() && found.size <= most ? separated(parseIndex(readBounded(file, most), isWanted)) : null;
  } catch {
    return null;
  }
}

/** Like `readIndex`, for the bytes of an index of any size. The returned names keep all of its text in memory. */
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
  const text = bytes.toString("latin1"); // names are substrings of it: much faster than decoding each
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

/** Offsets in an entry. Of its stat data, only one time and the mode are used. */
const MODE_AT = 24;
const ID_AT = 40;
const FLAGS_AT = ID_AT + HASH_BYTES;
const SUBMODULE_MODE = 0o160000;
/** On Windows, git stores the creation time in the field of the ctime. */
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

/** Returns the length padded with NUL bytes: at least one, up to a multiple of eight. */
const padded = (length: number): number => (length + 8) & ~7;

function plain(text: string, at: number): { name: string; end: number } {
  const end = text.indexOf("\0", at);
  if (end === -1) throw endsEarly();
  return { name: text.slice(at, end), end };
}

const endsEarly = (): Error => new Error("the index ends early");

/** Reads a prefix-compressed name: the number of bytes to cut off the previous name, then the rest. */
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

/** Copies the names, because substrings keep the whole text in memory. */
const separated = (index: GitIndex | null): GitIndex | null =>
  index && { ...index, entries: index.entries.map((entry) => ({ ...entry, name: separate(entry.name) })) };

const separate = (name: string): string => Buffer.from(name, "latin1").toString("latin1");

const NOTHING_KNOWN: KnownTree = { id: null, count: -1, folders: new Map() };

/** Returns the cached trees, or null for an extension that changes where entries are or how to read them. */
function readExtensions(bytes: Buffer, start: number, end: number): KnownTree | null {
  let known = NOTHING_KNOWN;
  for (let at = start; at < end;) {
    const name = bytes.toString("latin1", at, at + 4);
    const body = at + 8;
    if (!/^[A-Z]/.test(name)) return null; // readers must understand these
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

/**
 * Reads `<name> NUL <number of entries> <number of folders> LF <id>`, then the folders. A negative number of entries
 * has no id.
 */
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
