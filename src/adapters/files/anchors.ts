import { constants, realpathSync } from "node:fs";
import { join } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import type { Head } from "../../ports/journal.ts";
import { isRunId, type RunId } from "../../schema/ids.ts";
import {
  discardFile,
  type FileSystem,
  nodeFiles,
  OPEN,
  openPlain,
  readRange,
  readSmall,
  replaceFile,
  writeAll,
} from "./file-system.ts";
import { nodeCrypto, sha256 } from "./node-crypto.ts";

/** Last acknowledged head of each journal, stored out of reach of the repository. */
export interface Anchors {
  /** Real path of the working tree with the anchored journals. */
  readonly tree: string;
  read(run: RunId): Head | null;
  /** The last known open run. */
  openRun(): RunId | null;
  /** Stores a head; a head without events removes the run. Errors are ignored: the anchor then lags behind. */
  write(run: RunId, head: Head, open: boolean): void;
}

type AnchorList = {
  readonly path: string;
  /** Changes with each write of the list. */
  readonly generation: string;
  readonly open: RunId | null;
  readonly heads: Readonly<Record<RunId, string>>;
};

const KEPT_RUNS = 200;
const MAX_ANCHOR_FILE_BYTES = 1024 * 1024; // bytes

/**
 * Creates anchors in two small files per working tree, named after its real path: the list of runs, replaced when a
 * run starts or ends, and the newest head, overwritten with each decision.
 */
export function createFileAnchors(directory: string, workingTree: string, files: FileSystem = nodeFiles): Anchors {
  const path = realpathSync.native(workingTree);
  const name = join(directory, sha256(path));
  const [listFile, headFile] = [`${name}.json`, `${name}.head`];
  let prepared = false;
  let known: { stamp: string; list: AnchorList } | null = null;

  const list = (): AnchorList => {
    const stamp = readStamp(files, listFile);
    if (known?.stamp !== stamp)
      known = { stamp, list: readList(files, listFile) ?? { path, generation: "", open: null, heads: {} } };
    return known.list;
  };
  /** Returns the head written after the list, if any. */
  const newest = (): AnchorHead | null => {
    const found = orNull(() => readAnchorHead(files, headFile));
    return found !== null && found.generation === list().generation ? found : null;
  };

  return {
    tree: path,
    read(run) {
      const head = newest();
      return head?.run === run ? { seq: head.seq, hash: head.hash } : parseHead(list().heads[run]);
    },
    openRun: () => list().open,
    write(run, head, open) {
      try {
        if (!prepared) prepare(files, directory, listFile);
        prepared = true;
        const { generation, heads, open: openRun } = list();
        if (open && openRun === run && heads[run] !== undefined)
          return writeAnchorHead(files, headFile, { generation, run, ...head });
        const next = withHead({ ...withNewest(list(), newest()), path }, { run, head, open });
        replaceFile(files, listFile, Buffer.from(`${JSON.stringify(next)}\n`));
      } catch {
        known = null;
      }
    },
  };
}

function withNewest(list: AnchorList, newest: AnchorHead | null): AnchorList {
  return newest === null ? list : { ...list, heads: { ...list.heads, [newest.run]: `${newest.seq}:${newest.hash}` } };
}

/** Writers hold the lock of the working tree: other temporary files of this tree belong to killed processes. */
function prepare(files: FileSystem, directory: string, file: string): void {
  files.mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const name of files.readdirSync(directory)) {
    const path = join(directory, name);
    if (path.startsWith(`${file}.`) && name.endsWith(".tmp")) discardFile(files, path);
  }
}

type AnchorEntry = { readonly run: RunId; readonly head: Head; readonly open: boolean };

function withHead(list: AnchorList, { run, head, open }: AnchorEntry): AnchorList {
  const others = Object.entries(list.heads).filter(([name]) => name !== run);
  const kept = others.sort(([a], [b]) => (a < b ? -1 : 1)).slice(-(KEPT_RUNS - 1));
  const own = head.seq > 0 ? [[run, `${head.seq}:${head.hash}`] as const] : [];
  const stillOpen = list.open === run ? null : list.open;
  const generation = nodeCrypto().randomBytes(8).toString("hex");
  return { path: list.path, generation, open: open ? run : stillOpen, heads: Object.fromEntries([...kept, ...own]) };
}

const HEAD = /^[1-9][0-9]{0,14}:[0-9a-f]{64}$/;

/** Returns null unless the whole list is valid. */
function parseList(value: unknown): AnchorList | null {
  const path = ownValue(value, "path");
  const generation = ownValue(value, "generation");
  const open = ownValue(value, "open");
  const heads = ownValue(value, "heads");
  if (typeof path !== "string" || typeof generation !== "string" || !isRecord(heads)) return null;
  if (open !== null && !isRunId(open)) return null;
  return areHeads(heads) ? { path, generation, open, heads } : null;
}

const areHeads = (heads: Readonly<Record<string, unknown>>): heads is Record<RunId, string> =>
  Object.entries(heads).every(([run, head]) => isRunId(run) && isHead(head));

const isHead = (value: unknown): boolean => typeof value === "string" && HEAD.test(value);

function parseHead(text: string | undefined): Head | null {
  const [seq, hash] = text?.split(":") ?? [];
  return seq === undefined || hash === undefined ? null : { seq: Number(seq), hash };
}

function readList(files: FileSystem, file: string): AnchorList | null {
  return orNull(() => {
    const text = readSmall(files, file, MAX_ANCHOR_FILE_BYTES)?.toString("utf8") ?? "null";
    return parseList(JSON.parse(text));
  });
}

/** An unreadable anchor counts as missing: anchors are a second witness, and can only add doubt. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function readStamp(files: FileSystem, file: string): string {
  const found = files.lstatSync(file, { throwIfNoEntry: false });
  return found === undefined ? "none" : `${found.ino}:${found.size}:${found.mtimeMs}`;
}

/** Newest head of one run. Valid only with the list of the same generation. */
type AnchorHead = {
  readonly generation: string;
  readonly run: RunId;
  readonly seq: number;
  readonly hash: string;
};

const LENGTH = 256; // bytes, always written completely: the file size never changes
const MAX_ANCHOR_WRITE_ATTEMPTS = 5;

/**
 * Overwrites the single block of the file. Replacing the file for every decision would cost as much as the sync of the
 * journal. A torn write loses one head, and the list still has an earlier one.
 */
function writeAnchorHead(files: FileSystem, file: string, head: AnchorHead): void {
  const text = JSON.stringify(head);
  const fd = openPlain(files, file, OPEN.change | constants.O_CREAT);
  if (fd === null) return;
  try {
    const bytes = Buffer.from(`${checksum(text)} ${text}`.padEnd(LENGTH - 1) + "\n");
    writeAll(files, fd, { bytes, position: 0 });
  } finally {
    files.closeSync(fd);
  }
}

/** Returns null if the file is missing or damaged. */
function readAnchorHead(files: FileSystem, file: string): AnchorHead | null {
  const fd = openPlain(files, file, OPEN.read);
  if (fd === null) return null;
  try {
    // Reads without a lock: a concurrent write may look torn.
    for (let attempt = 0; attempt < MAX_ANCHOR_WRITE_ATTEMPTS; attempt++) {
      const text = readRange(files, fd, { from: 0, to: LENGTH }).toString("utf8").trimEnd();
      const content = text.slice(text.indexOf(" ") + 1);
      if (text.startsWith(`${checksum(content)} `)) return parseAnchorHead(JSON.parse(content));
    }
    return null;
  } finally {
    files.closeSync(fd);
  }
}

function parseAnchorHead(value: unknown): AnchorHead | null {
  const generation = ownValue(value, "generation");
  const run = ownValue(value, "run");
  const seq = ownValue(value, "seq");
  const hash = ownValue(value, "hash");
  const isPlace = typeof generation === "string" && isRunId(run);
  const isPosition = typeof seq === "number" && Number.isSafeInteger(seq) && seq > 0 && isHash(hash);
  return isPlace && isPosition ? { generation, run, seq, hash } : null;
}

const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

function checksum(text: string): string {
  return sha256(text).slice(0, 32);
}
