import { createHash } from "node:crypto";
import { gitFailed } from "../process/run-git.ts";

export const isObjectId = (text: string): boolean => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** What git accepts below refs/heads, less names that could be read as an option or as HEAD. */
export function isBranchName(name: string): boolean {
  if (name === "" || name === "@" || name === "HEAD" || name.startsWith("-") || name.endsWith(".")) return false;
  if (/[\p{Cc} ~^:?*[\\]|\.\.|@\{/u.test(name)) return false;
  return name.split("/").every((part) => part !== "" && !part.startsWith(".") && !part.endsWith(".lock"));
}

export function requireBranchName(name: string, command: string): void {
  if (!isBranchName(name)) throw gitFailed(command, `${JSON.stringify(name)} is not a name for a branch`);
}

/** One part of a ref for any text: readable, and different texts never share one. */
export function refPart(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 80);
  if (plain === text && plain !== "" && !plain.startsWith("-")) return plain;
  return `x${plain}-${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;
}

/** Where a run keeps a snapshot of that name. */
export const snapshotRef = (run: string, name: string): string => `refs/isdlc/${refPart(run)}/${refPart(name)}`;
