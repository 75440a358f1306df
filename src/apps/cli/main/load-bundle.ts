import type { Hash } from "node:crypto";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type * as V8 from "node:v8";
import type * as VM from "node:vm";
import { nodeCrypto } from "../../../adapters/file-system/node-crypto.ts";

/** As Node itself wraps a module. */
const WRAPPER = ["(function (exports, require, module, __filename, __dirname) { ", "\n})"] as const;
/** Characters before the compiled code: its digest with the source, and how much it is. */
const DIGEST_LENGTH = 64;
const HEAD_LENGTH = DIGEST_LENGTH + 4;
/** Who waited that long does not notice the time it takes to keep what was compiled. */
const LONG_MILLISECONDS = 10_000;

/**
 * Loads a bundle that lies beside this one. What V8 compiles of it is kept for the next start, which takes half as long
 * then. It is kept in the program's own folder: whoever can write there can change the program itself, and the sandbox
 * lets no agent write there.
 */
export function loadBundle(name: string): unknown {
  const file = join(__dirname, name);
  const source = readFileSync(file);
  const digest = nodeCrypto().createHash("sha256").update(source);
  const { cachedDataVersionTag } = require("node:v8") as typeof V8; // both read only when they are needed
  const { Script } = require("node:vm") as typeof VM;
  const { version, platform, arch } = process;
  const kept = join(dirname(__dirname), "compiled", [name, version, platform, arch, cachedDataVersionTag()].join("-"));
  const known = readCompiled(kept, digest);
  const script = new Script(WRAPPER.join(source.toString("utf8")), {
    filename: file,
    columnOffset: -WRAPPER[0].length, // so that stack traces name the columns of the file
    ...(known === null ? {} : { cachedData: known.compiled }),
  });
  const size = script.cachedDataRejected === false ? (known?.size ?? null) : null;
  process.once("exit", () => {
    const isLong = performance.now() > LONG_MILLISECONDS;
    if (size === null || (isLong && size === "some"))
      keepCompiled(script, { kept, digest, size: isLong ? "most" : "some" });
  });
  const module = { exports: {} };
  const run = script.runInThisContext() as (...given: unknown[]) => void; // the wrapper above
  run.call(module.exports, module.exports, createRequire(file), module, file, __dirname);
  return module.exports;
}

/** How much of the program is compiled: what a short verb used, or what one did that drove a run. Of one length. */
type Size = "some" | "most";

/** Null where there is none that is whole and was made of this very source. */
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
  /** Of the source. */
  readonly digest: Hash;
  readonly size: Size;
};

/** As the program ends, when everything that it used was compiled. */
function keepCompiled(script: VM.Script, { kept, digest, size }: CompiledBundle): void {
  const folder = dirname(kept);
  const temporary = `${kept}.tmp`; // of all that write at once: what gets mixed up does not fit its digest
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK); // asked first: making it takes longer
    const compiled = script.createCachedData();
    writeFileSync(temporary, Buffer.concat([Buffer.from(digestWith(digest, compiled) + size), compiled]));
    renameSync(temporary, kept);
  } catch {
    // the next start takes as long as this one
  }
}

const digestWith = (digest: Hash, compiled: Buffer): string => digest.copy().update(compiled).digest("hex");
