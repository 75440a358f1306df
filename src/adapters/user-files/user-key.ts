import { join } from "node:path";
import { ProblemError } from "../../core/problem.ts";
import type { Seal } from "../../ports/seal.ts";
import {
  nodeFiles,
  discardFile,
  errorCode,
  placeFile,
  readSmall,
  succeeds,
  syncFolder,
  type FileSystem,
} from "../file-system/file-system.ts";
import { nodeCrypto } from "../file-system/node-crypto.ts";
import { countermarksIn, withCountermarks } from "./countermarks.ts";

const KEY_LENGTH = 32; // bytes
const MARK_LENGTH = 32; // characters
const NONE = Buffer.alloc(0);

/** The user's own key: made at the first use, the same for every process even when several begin at once. */
export function loadUserKey(directory: string, files: FileSystem = nodeFiles): Buffer {
  const file = join(directory, "key");
  const key = readSmall(files, file, KEY_LENGTH) ?? createKey(directory, file, files);
  if (key.length === KEY_LENGTH) return key;
  // A new key would make every earlier journal look forged, so that is a person's decision.
  throw new ProblemError({ code: "UNSAFE_PATH", path: file, detail: "it does not hold a key" });
}

/** The key as what marks records: only whoever has it can make a mark that fits. */
export function sealWith(key: Buffer): Seal {
  const authenticate = hmacWith(key);
  const mark = (hash: string): string => authenticate(hash).slice(0, MARK_LENGTH);
  return {
    mark,
    fits: (hash, found) => found.length === MARK_LENGTH && isSame(mark(hash), found),
  };
}

/** Takes as long wherever they differ, and no buffers as Node's own would. */
function isSame(mark: string, found: string): boolean {
  let differing = 0;
  for (let at = 0; at < MARK_LENGTH; at++) differing |= mark.charCodeAt(at) ^ found.charCodeAt(at);
  return differing === 0;
}

const BLOCK = 64; // bytes that SHA-256 takes at a time
const DIGEST = 32; // bytes that come of it

/**
 * HMAC-SHA256 (RFC 2104) as two plain hashes: Node's own makes a stream for every mark, which takes several times as long,
 * and every record that is read has a mark.
 * @param key no longer than a block
 */
function hmacWith(key: Buffer): (text: string) => string {
  const { hash } = nodeCrypto();
  const padded = (byte: number, room: number): Buffer =>
    Buffer.concat([new Uint8Array(BLOCK).map((_, at) => (key[at] ?? 0) ^ byte)], BLOCK + room);
  const ofDigest = padded(0x36, 2 * DIGEST); // in hex, as nearly every text is
  const outer = padded(0x5c, DIGEST);
  return (text) => {
    const length = Buffer.byteLength(text);
    const inner = length === 2 * DIGEST ? ofDigest : padded(0x36, length);
    inner.write(text, BLOCK);
    outer.write(hash("sha256", inner), BLOCK, "hex");
    return hash("sha256", outer);
  };
}

/** The seal of the user's key, which also fits what was taken over with it. */
export const keySeal = (directory: string, files: FileSystem = nodeFiles): Seal =>
  withCountermarks(sealWith(loadUserKey(directory, files)), countermarksIn(directory, files));

/**
 * The same for programs that may only look. Where there is none and none can be made, because the folder is read-only as in the
 * sandbox of an agent, journals are shown as they are and nothing can be added to them.
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
      // Linking, unlike renaming, never replaces: whoever is first has made the key.
      const linked = succeeds(() => files.linkSync(temporary, file), ["EEXIST"]);
      discardFile(files, temporary);
      return linked;
    },
  });
  if (!isFirst) return readSmall(files, file, KEY_LENGTH) ?? NONE;
  syncFolder(files, directory);
  return key;
}
