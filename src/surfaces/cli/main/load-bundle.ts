import type { Hash } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as V8 from "node:v8";
import type * as VM from "node:vm";
import { nodeCrypto } from "../../../adapters/files/node-crypto.ts";

/** The wrapper that Node puts around a module. */
const WRAPPER = ["(function (exports, require, module, __filename, __dirname) { ", "\n})"] as const;
/** Characters. The header before the compiled code consists of the digest of source and code, and the size. */
const DIGEST_LENGTH = 64;
const HEAD_LENGTH = DIGEST_LENGTH + 4;
/** After a run of this length, the time to write the compiled code goes unnoticed. */
const LONG_MILLISECONDS = 10_000;

/**
 * Loads a bundle from this folder, and caches V8's compiled code of it to halve the load time of the next start. The
 * cache is in the program's own folder: anyone who can write there can change the program itself, and the sandbox lets
 * no agent write there.
 */
export function loadBundle(name: string): unknown {
  const file = join(__dirname, name);
  const source = readFileSync(file);
  const digest = nodeCrypto().createHash("sha256").update(source);
  const { cachedDataVersionTag } = require("node:v8") as typeof V8; // both loaded on demand
  const { Script } = require("node:vm") as typeof VM;
  const { version, platform, arch } = process;
  const kept = join(dirname(__dirname), "compiled", [name, version, platform, arch, cachedDataVersionTag()].join("-"));
  const known = readCompiled(kept, digest);
  const script = new Script(WRAPPER.join(source.toString("utf8")), {
    filename: file,
    columnOffset: -WRAPPER[0].length, // stack traces show the columns of the file
    ...(known === null ? {} : { cachedData: known.compiled }),
  });
  const size = script.cachedDataRejected === false ? (known?.size ?? null) : null;
  process.once("exit", () => {
    const isLong = performance.now() > LONG_MILLISECONDS;
    if (size === null || (isLong && size === "some"))
      keepCompiled(script, { kept, digest, size: isLong ? "most" : "some" });
  });
  const module = { exports: {} };
  const run = script.runInThisContext() as (...given: unknown[]) => void; // type of the wrapper above
  run.call(module.exports, module.exports, createRequire(file), module, file, __dirname);
  return module.exports;
}

/**
 * How much of the bundle is compiled: the code used by a short command, or by one that drove a run. Both values have
 * the same length, as the header requires.
 */
type Size = "some" | "most";

/** Returns null unless the cache file is complete and belongs to this source. */
function readCompiled(kept: string, digest: Hash): { readonly size: Size; readonly compiled: Buffer } | null {
  try {
    const content = readFileSync(kept);
    const size = content.toString("latin1", DIGEST_LENGTH, HEAD_LENGTH) === "most" ? "most" : "some";
    const compiled = content.subarray(HEAD_LENGTH);
    return content.toString("latin1", 0, DIGEST_LENGTH) === digestWith(digest, compiled) ? { size, compiled } : null;
  } catch {
    return null;
  }
}

type CompiledBundle = {
  readonly kept: string;
  /** Digest of the source. */
  readonly digest: Hash;
  readonly size: Size;
};

/** Writes the cache at exit, when all code that the command used is compiled. */
function keepCompiled(script: VM.Script, { kept, digest, size }: CompiledBundle): void {
  const folder = dirname(kept);
  const temporary = `${kept}.tmp`; // shared by parallel writers: a mixed file does not match its digest
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK); // checked first, because creating the cached data takes longer
    const compiled = script.createCachedData();
    writeFileSync(temporary, Buffer.concat([Buffer.from(digestWith(digest, compiled) + size), compiled]));
    renameSync(temporary, kept);
  } catch {
    // without a cache, the next start takes as long as this one
  }
}

const digestWith = (digest: Hash, compiled: Buffer): string => digest.copy().update(compiled).digest("hex");
