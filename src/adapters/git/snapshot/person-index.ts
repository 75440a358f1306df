import { statSync } from "node:fs";
import { type IndexEntry, MAX_INDEX_BYTES, readIndexBytes, type EntryFilter } from "../objects/git-index.ts";
import type { GitObjects } from "../objects/git-objects.ts";
import { readBounded } from "../../files/file-system.ts";

/** The user's index at one moment. */
export type PersonIndex = {
  readonly stamp: string;
  /** Null if it is not compared: missing, too large or unreadable. */
  readonly bytes: Buffer | null;
};

export function indexBytes(file: string): Buffer | null {
  try {
    const found = statSync(file); // reading a pipe would wait forever
    return found.isFile() && found.size <= MAX_INDEX_BYTES ? readBounded(file, MAX_INDEX_BYTES) : null;
  } catch {
    return null;
  }
}

type IndexPair = {
  /** The index that follows the working tree. */
  readonly own: Buffer | null;
  /** The user's index, before and now. */
  readonly before: Buffer | null;
  readonly now: Buffer | null;
};

/** More files are not compared one by one. */
const MAX_REWRITTEN = 20;

/**
 * Returns true if an index that follows the working tree would have the same content after a start from the user's
 * current index. This is the case after a commit of the scanned files: the following index also has each changed
 * entry, and no longer has any deleted one. Entries may differ in content, because file content is read again from the
 * working tree, unless it decides about line ends.
 */
export async function isAlreadyIn({ own, before, now }: IndexPair, objects: GitObjects): Promise<boolean> {
  const [earlier, later] = [allEntriesIn(before), allEntriesIn(now)];
  if (earlier === null || later === null) return false;
  const changed = [...later.values()].filter((entry) => !isSame(entry, earlier.get(entry.name)));
  const gone = [...earlier.keys()].filter((name) => !later.has(name));
  const inDoubt = new Set([...gone, ...changed.map(({ name }) => name)]);
  const held = entriesIn(own, ({ name }) => inDoubt.has(name));
  if (held === null || gone.some((name) => held.has(name))) return false;
  const rewritten = changed.filter((entry) => !isSame(entry, held.get(entry.name)));
  if (rewritten.length > MAX_REWRITTEN) return false;
  for (const entry of rewritten) if (!(await isRewritten(objects, entry, held.get(entry.name)))) return false;
  return true;
}

const read = new WeakMap<Buffer, ReturnType<typeof entriesIn>>();

/** Caches the entries, because `now` of one call is `before` of the next. */
function allEntriesIn(bytes: Buffer | null): ReturnType<typeof entriesIn> {
  const known = bytes && read.get(bytes);
  if (bytes === null || (known !== undefined && known !== null)) return known ?? null;
  const found = entriesIn(bytes);
  read.set(bytes, found);
  return found;
}

/** Returns null if only git can read the index, or a name has several entries, as in an unfinished merge. */
function entriesIn(bytes: Buffer | null, isWanted?: EntryFilter): ReadonlyMap<string, IndexEntry> | null {
  const entries = bytes && readIndexBytes(bytes, isWanted)?.entries;
  if (!entries) return null;
  const found = new Map(entries.map((entry) => [entry.name, entry]));
  return found.size === entries.length ? found : null;
}

const isSame = (one: IndexEntry, other: IndexEntry | undefined): boolean =>
  other !== undefined && one.id === other.id && one.mode === other.mode && hasSameMarks(one, other);

const isPlainFile = (entry: IndexEntry): boolean => entry.mode.startsWith("100") && hasSameMarks(entry, NO_MARKS);

type Marks = Pick<IndexEntry, "stage" | "isAssumed" | "isSkipped" | "isAnnounced">;

const hasSameMarks = (one: Marks, other: Marks): boolean =>
  one.stage === other.stage &&
  one.isAssumed === other.isAssumed &&
  one.isSkipped === other.isSkipped &&
  one.isAnnounced === other.isAnnounced;

const NO_MARKS: Marks = { stage: 0, isAssumed: false, isSkipped: false, isAnnounced: false };

/** Returns true for the same file with other text, if neither version affects line ends. */
async function isRewritten(objects: GitObjects, one: IndexEntry, other: IndexEntry | undefined): Promise<boolean> {
  if (other === undefined || one.mode !== other.mode || !isPlainFile(one) || !isPlainFile(other)) return false;
  return !(await hasReturns(objects, one.id)) && !(await hasReturns(objects, other.id));
}

/**
 * Returns true for a missing blob or one with carriage returns: git converts no line ends of a file that had carriage
 * returns in the index.
 */
async function hasReturns(objects: GitObjects, id: string): Promise<boolean> {
  const blob = await objects.read(id);
  return blob === null || blob.content.includes(CARRIAGE_RETURN);
}

const CARRIAGE_RETURN = 0x0d;
