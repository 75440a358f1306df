import { constants, type Stats } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import type { CheckResult } from "../../schema/facts.ts";

const MAX_ARTIFACT_MEGABYTES = 5;
/** Spaces of all kinds, and invisible characters. */
const NOTHING_BUT_BLANKS = /^[\s\p{Cc}\p{Cf}]*$/u;

/**
 * Checks each file: it must be a plain file inside the working tree, not blank and not too large. The detail lists all
 * others.
 */
export async function checkArtifacts(cwd: string, paths: readonly string[]): Promise<CheckResult> {
  const root = await realpath(cwd);
  const faults: string[] = [];
  for (const path of paths) {
    const fault = await findFault(root, path);
    if (fault !== null) faults.push(`${path} ${fault}`);
  }
  const detail = faults.length > 0 ? faults.join("\n") : `${paths.length} of ${paths.length} present`;
  return { name: "artifacts", ok: faults.length === 0, detail };
}

async function findFault(root: string, path: string): Promise<string | null> {
  if (isAbsolute(path) || path.includes("\0") || path.split(/[/\\]/).includes(".."))
    return "is not a path inside the tree";
  try {
    const real = await realpath(join(root, path));
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return "leads out of the tree";
    return faultOfFacts(await lstat(real)) ?? (await faultOfContent(real));
  } catch (error) {
    return faultOfFailure(error);
  }
}

function faultOfFacts(facts: Stats): string | null {
  if (!facts.isFile()) return "is not a plain file";
  if (facts.size === 0) return "is empty";
  return facts.size > MAX_ARTIFACT_MEGABYTES * 1024 * 1024 ? `is larger than ${MAX_ARTIFACT_MEGABYTES} MB` : null;
}

/**
 * Opens without waiting and without following links: since its check, the file may have been replaced by a link or a
 * pipe.
 */
async function faultOfContent(real: string): Promise<string | null> {
  const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW || 0) | (constants.O_NONBLOCK || 0));
  try {
    const fault = faultOfFacts(await handle.stat());
    if (fault !== null) return fault;
    return NOTHING_BUT_BLANKS.test(await handle.readFile("utf8")) ? "is blank" : null;
  } finally {
    await handle.close();
  }
}

function faultOfFailure(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return code === "ENOENT" || code === "ENOTDIR" ? "is missing" : `cannot be read (${code})`;
}
