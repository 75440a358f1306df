import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import type * as fs from "node:fs";
import { dirname } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import { nodeCrypto } from "./node-crypto.ts";

/** All file calls for our own files in one object, to let a test fail any of them. */
export type FileSystem = Pick<
  typeof fs,
  | "closeSync"
  | "fdatasyncSync"
  | "fstatSync"
  | "fsyncSync"
  | "ftruncateSync"
  | "linkSync"
  | "lstatSync"
  | "mkdirSync"
  | "openSync"
  | "readSync"
  | "readdirSync"
  | "renameSync"
  | "unlinkSync"
  | "writeSync"
>;

export const nodeFiles: FileSystem = {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  unlinkSync,
  writeSync,
};

// Windows lacks the first two: they are undefined there, which sets no bit.
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;

/** Flags that never follow a link, and never wait for the other end of a pipe. */
export const OPEN = {
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  change: O_RDWR | O_NOFOLLOW | O_NONBLOCK,
  createNew: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
  append: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
} as const;

export const PRIVATE = 0o600;

/** Returns the code of a failed system call (`ENOENT`). Null for other errors. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** Runs the call. Returns false if it failed with an expected code. */
export function succeeds(call: () => void, expected: readonly string[]): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (expected.includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

/** Writes all bytes: one call may write fewer than given. */
export function writeAll(files: FileSystem, fd: number, content: { bytes: Uint8Array; position: number | null }): void {
  const { bytes, position } = content;
  let done = 0;
  while (done < bytes.length) {
    const at = position === null ? null : position + done;
    const written = files.writeSync(fd, bytes, done, bytes.length - done, at);
    if (written <= 0) throw new Error("the system took no bytes");
    done += written;
  }
}

/** Reads the bytes of a range; fewer if the file ends earlier. */
export function readRange(files: FileSystem, fd: number, range: { from: number; to: number }): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, range.to - range.from));
  let done = 0;
  while (done < bytes.length) {
    const read = files.readSync(fd, bytes, done, bytes.length - done, range.from + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}

/**
 * Opens a plain file. Returns null if it does not exist.
 * @throws ProblemError UNSAFE_PATH for links, folders and pipes
 */
export function openPlain(files: FileSystem, path: string, flags: number): number | null {
  return openSized(files, path, flags)?.fd ?? null;
}

/** Also returns the size in bytes. */
function openSized(files: FileSystem, path: string, flags: number): { fd: number; size: number } | null {
  let fd: number;
  try {
    fd = files.openSync(path, flags, PRIVATE);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return null;
    if (code === "ELOOP" || code === "ENOTDIR" || code === "EISDIR" || code === "ENXIO") throw notPlain(path, error);
    throw error;
  }
  const facts = files.fstatSync(fd);
  if (facts.isFile()) return { fd, size: facts.size };
  files.closeSync(fd);
  throw notPlain(path, undefined);
}

/** Reads a small file. Null if it does not exist, or is larger than `limit` bytes. */
export function readSmall(files: FileSystem, path: string, limit: number): Buffer | null {
  const opened = openSized(files, path, OPEN.read);
  if (opened === null) return null;
  const { fd, size } = opened;
  try {
    return size > limit ? null : readRange(files, fd, { from: 0, to: size });
  } finally {
    files.closeSync(fd);
  }
}

/**
 * Reads a plain file, also through links. Never waits for a pipe, and reads at most `limit` bytes, even if the file was
 * replaced or grows after a check.
 * @throws ProblemError UNSAFE_PATH for other files and larger ones
 */
export function readBounded(path: string | Buffer, limit: number): Buffer {
  const fd = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile() || facts.size > limit) throw notPlain(path.toString(), undefined);
    return readRange(nodeFiles, fd, { from: 0, to: facts.size });
  } finally {
    closeSync(fd);
  }
}

export type NewFile = {
  readonly bytes: Uint8Array;
  /** Permission bits, limited by the user's umask. Private by default. */
  readonly mode?: number;
  /** True to sync the file before it is put in place: for content that cannot be rebuilt. */
  readonly durable?: boolean;
};

/** Writes a complete file under a temporary name and passes it to `place`. Removes it after any failure. */
export function placeFile<T>(
  files: FileSystem,
  path: string,
  { bytes, mode = PRIVATE, durable = false, place }: NewFile & { readonly place: (temporary: string) => T },
): T {
  const temporary = `${path}.${nodeCrypto().randomBytes(8).toString("hex")}.tmp`;
  const fd = files.openSync(temporary, OPEN.createNew, mode);
  try {
    try {
      writeAll(files, fd, { bytes, position: null });
      if (durable) files.fsyncSync(fd);
    } finally {
      files.closeSync(fd);
    }
    return place(temporary);
  } catch (error) {
    discardFile(files, temporary);
    throw error;
  }
}

/**
 * Replaces a file in one step: readers find the complete new file or the old one. Not durable: for content that can be
 * rebuilt.
 */
export function replaceFile(files: FileSystem, path: string, bytes: Uint8Array): void {
  placeFile(files, path, { bytes, place: (temporary) => files.renameSync(temporary, path) });
}

/** Removes a file. A missing file is not a failure; a file that cannot be removed is. */
export function removeFile(files: FileSystem, path: string): void {
  succeeds(() => files.unlinkSync(path), ["ENOENT"]);
}

/** Removes a file without further use. Ignores failures: the next lock holder removes it. */
export function discardFile(files: FileSystem, path: string): void {
  try {
    files.unlinkSync(path);
  } catch {
    // already missing, or removed later
  }
}

/** Makes created, renamed and removed names in a folder durable. */
export function syncFolder(files: FileSystem, folder: string): void {
  if (process.platform === "win32") return; // folders cannot be synced there
  const fd = files.openSync(folder, OPEN.read);
  try {
    files.fsyncSync(fd);
  } finally {
    files.closeSync(fd);
  }
}

/** Creates a missing folder durably. Refuses a link in its place. */
export function ensureFolder(files: FileSystem, folder: string): void {
  if (folderExists(files, folder)) return;
  if (succeeds(() => files.mkdirSync(folder), ["EEXIST"])) syncFolder(files, dirname(folder));
  else folderExists(files, folder);
}

/**
 * Returns false if the path does not exist.
 * @throws ProblemError UNSAFE_PATH if it is not a real folder
 */
export function folderExists(files: FileSystem, folder: string): boolean {
  const found = files.lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (found.isDirectory()) return true;
  const detail = found.isSymbolicLink() ? "it is a link, not a folder" : "it is not a folder";
  throw new ProblemError({ code: "UNSAFE_PATH", path: folder, detail });
}

function notPlain(path: string, cause: unknown): ProblemError {
  return new ProblemError({ code: "UNSAFE_PATH", path, detail: "it is not a plain file" }, { cause });
}
