import { createHash } from "node:crypto";
import { gitFailed } from "./run-git.ts";

export const isObjectId = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/**
 * Returns true for a name that git accepts under refs/heads, except names that could be read as an option or as HEAD.
 */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || name === "HEAD" || name.startsWith("-") || name.endsWith(".")) return false;
  if (/[\p{Cc} ~^:?*[\\]|\.\.|@\{/u.test(name)) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}

export function requireBranchName(name: string, command: string): void {
  if (!isBranchName(name)) throw gitFailed(command, `${JSON.stringify(name)} is not a name for a branch`);
}

/** Converts any text to one part of a ref: readable, and different for different texts. */
export function refPart(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 80);
  if (plain === text && plain !== "" && !plain.startsWith("-")) return plain;
  return `x${plain}-${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

/** Returns the ref of a run's snapshot with that name. */
export const snapshotRef = (run: string, name: string): string => `refs/isdlc/${refPart(run)}/${refPart(name)}`;
