import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import {
  nodeFiles,
  discardFile,
  errorCode,
  placeFile,
  readSmall,
  succeeds,
  syncFolder,
  type FileSystem,
} from "./file-system.ts";
import { nodeCrypto } from "./node-crypto.ts";
import { countermarksIn, withCountermarks } from "./countermarks.ts";
import type { Seal } from "../../ports/journal.ts";

const KEY_LENGTH = 32; // bytes
const MARK_LENGTH = 32; // characters
const NONE = Buffer.alloc(0);

/** Reads the user's key, and creates it on first use. Concurrent processes get the same key. */
export function loadUserKey(directory: string, files: FileSystem = nodeFiles): Buffer {
  const file = join(directory, "key");
  const key = readSmall(files, file, KEY_LENGTH) ?? createKey(directory, file, files);
  if (key.length === KEY_LENGTH) return key;
  // The user must decide about a new key: it would make every earlier journal look forged.
  throw new ProblemError({ code: "UNSAFE_PATH", path: file, detail: "it does not hold a key" });
}

/** Creates a seal from the key. Valid marks require the key. */
export function sealWith(key: Buffer): Seal {
  const authenticate = hmacWith(key);
  const mark = (hash: string): string => authenticate(hash).slice(0, MARK_LENGTH);
  return {
    mark,
    fits: (hash, found) => found.length === MARK_LENGTH && isSame(mark(hash), found),
  };
}

/** Compares in constant time, without the buffers of Node's own function. */
function isSame(mark: string, found: string): boolean {
  let differing = 0;
  for (let at = 0; at < MARK_LENGTH; at++) differing |= mark.charCodeAt(at) ^ found.charCodeAt(at);
  return differing === 0;
}

const BLOCK = 64; // block size of SHA-256 in bytes
const DIGEST = 32; // digest size in bytes

/**
 * Computes HMAC-SHA256 (RFC 2104) as two plain hashes. Node's own function creates a stream per mark and takes several
 * times as long, and each record read has a mark. @param key no longer than a block
 */
function hmacWith(key: Buffer): (text: string) => string {
  const { hash } = nodeCrypto();
  const padded = (byte: number, room: number): Buffer =>
    Buffer.concat([new Uint8Array(BLOCK).map((_, at) => (key[at] ?? 0) ^ byte)], BLOCK + room);
  const ofDigest = padded(0x36, 2 * DIGEST); // hex, the length of almost all texts
  const outer = padded(0x5c, DIGEST);
  return (text) => {
    const length = Buffer.byteLength(text);
    const inner = length === 2 * DIGEST ? ofDigest : padded(0x36, length);
    inner.write(text, BLOCK);
    outer.write(hash("sha256", inner), BLOCK, "hex");
    return hash("sha256", outer);
  };
}

/** Returns the seal of the user's key. It also accepts records countersigned with that key. */
export const keySeal = (directory: string, files: FileSystem = nodeFiles): Seal =>
  withCountermarks(sealWith(loadUserKey(directory, files)), countermarksIn(directory, files));

/**
 * Returns the seal for read-only programs. If the key is missing and its folder is on a read-only file system, as in
 * an agent's sandbox, journals are shown unverified and appends fail.
 */
export function userSeal(directory: string, files: FileSystem = nodeFiles): Seal {
  try {
    return keySeal(directory, files);
  } catch (error) {
    if (errorCode(error) !== "EROFS") throw error;
    const mark = (): never => {
      throw new ProblemError({ code: "WRITE_FAILED", file: join(directory, "key"), detail: "EROFS" }, { cause: error });
    };
    return { mark, fits: () => true };
  }
}

function createKey(directory: string, file: string, files: FileSystem): Buffer {
  files.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const key = nodeCrypto().randomBytes(KEY_LENGTH);
  const isFirst = placeFile(files, file, {
    bytes: key,
    durable: true,
    place(temporary) {
      // A link, unlike a rename, never replaces a file: the first process creates the key.
      const linked = succeeds(() => files.linkSync(temporary, file), ["EEXIST"]);
      discardFile(files, temporary);
      return linked;
    },
  });
  if (!isFirst) return readSmall(files, file, KEY_LENGTH) ?? NONE;
  syncFolder(files, directory);
  return key;
}
