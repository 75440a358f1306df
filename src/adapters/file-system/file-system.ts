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

/** Every file call made for our own files, in one object, so that a test can fail any one of them. */
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

// Where the system lacks the first two (Windows) they are undefined, which counts as no bit at all.
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;

/** Never through a link; never waiting for the other end of a pipe somebody put there. */
export const OPEN = {
  read: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
  change: O_RDWR | O_NOFOLLOW | O_NONBLOCK,
  createNew: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW,
  append: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK,
} as const;

export const PRIVATE = 0o600;

/** The system's word for a failed call (`ENOENT`), or null when it was no failed call. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}

/** Does the call; false where it failed in one of the expected ways. */
export function succeeds(call: () => void, expected: readonly string[]): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (expected.includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

/** Writes every byte: one call may take fewer than it was given. */
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

/** The bytes of a range; fewer when the file ends earlier. */
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

/** Opens a plain file, or gives null where there is none. Links, folders and pipes are refused. */
export function openPlain(files: FileSystem, path: string, flags: number): number | null {
  return openSized(files, path, flags)?.fd ?? null;
}

/** The same, with its size in bytes. */
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

/** A whole small file; null where there is none or it is larger than `limit` bytes. */
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

export type NewFile = {
  readonly bytes: Uint8Array;
  /** Permission bits, as far as the person's umask allows; private by default. */
  readonly mode?: number;
  /** Synced before it is put in place: for what cannot be rebuilt. */
  readonly durable?: boolean;
};

/** Writes a complete file under a passing name and has it put in place; whatever fails, nothing is left of it. */
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

/** Replaces a file in one step: it is complete, or the old one. Not durable: for what can be rebuilt. */
export function replaceFile(files: FileSystem, path: string, bytes: Uint8Array): void {
  placeFile(files, path, { bytes, place: (temporary) => files.renameSync(temporary, path) });
}

/** Removes a file; one that is gone already is no failure, one that cannot go is. */
export function removeFile(files: FileSystem, path: string): void {
  succeeds(() => files.unlinkSync(path), ["ENOENT"]);
}

/** Removes what nobody will read again; what cannot go now is swept later by whoever holds the lock. */
export function discardFile(files: FileSystem, path: string): void {
  try {
    files.unlinkSync(path);
  } catch {
    // gone already, or swept later
  }
}

/** Makes names created, renamed or removed in a folder durable. */
export function syncFolder(files: FileSystem, folder: string): void {
  if (process.platform === "win32") return; // folders cannot be synced there
  const fd = files.openSync(folder, OPEN.read);
  try {
    files.fsyncSync(fd);
  } finally {
    files.closeSync(fd);
  }
}

/** Creates a folder where it is missing, durably; a link in its place is refused. */
export function ensureFolder(files: FileSystem, folder: string): void {
  if (folderExists(files, folder)) return;
  if (succeeds(() => files.mkdirSync(folder), ["EEXIST"])) syncFolder(files, dirname(folder));
  else folderExists(files, folder);
}

/** @throws ProblemError UNSAFE_PATH for anything that is there and no real folder. */
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
