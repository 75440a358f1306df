import type { FileChange } from "../../../schema/facts.ts";
import { must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git, GitOptions } from "../process/git.ts";
import { decodePath, isUnder, splitFields } from "../process/git-path.ts";
import { isObjectId } from "./ref-name.ts";

export type TreePair = { readonly from: string; readonly to: string };

const plain = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];
const timeoutMs = 30_000;

/** Both ends of a comparison; null where either is no object id. */
export function pairOf(from: string | null, to: string | null): TreePair | null {
  return from !== null && to !== null && isObjectId(from) && isObjectId(to) ? { from, to } : null;
}

/** What git exits with for an object it does not have. */
const UNKNOWN_OBJECT = 128;

/** Output of a comparison; null when the repository does not have one of the ends. Equal ends need no git. */
async function compared(git: Git, { from, to }: TreePair, { args, ...options }: Comparison): Promise<Buffer | null> {
  if (from === to) return Buffer.alloc(0);
  const result = await git(["diff-tree", "-r", ...args, ...plain, from, to], options);
  return result.status === UNKNOWN_OBJECT ? null : must(Promise.resolve(result), "diff-tree");
}

type Comparison = GitOptions & { readonly args: readonly string[] };

/** Renames are told as one deleted and one added file, so that every touched path is named. */
export async function changesBetween(git: Git, pair: TreePair): Promise<FileChange[] | null> {
  const output = await compared(git, pair, { args: ["-z", "--name-status", "--no-renames"], timeoutMs });
  if (output === null) return null;
  const fields = splitFields(output);
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [status, path] = [fields[at], fields[at + 1]];
    if (status && path) changes.push({ path: decodePath(path), change: changeOf(status.toString("latin1")) });
  }
  return changes;
}

function changeOf(status: string): FileChange["change"] {
  if (status.startsWith("A")) return "added";
  if (status.startsWith("D")) return "deleted";
  return status.startsWith("T") ? "typechange" : "modified";
}

/** Added plus removed lines of the given files and folders; binary files count as none. */
export async function linesBetween(git: Git, pair: TreePair, paths: readonly string[]): Promise<number> {
  if (paths.length === 0) return 0;
  const args = ["-z", "--numstat", "--no-renames"];
  const output = (await compared(git, pair, { args, timeoutMs: wholeTreeTimeoutMs })) ?? Buffer.alloc(0);
  const exact = new Set(paths);
  let sum = 0;
  for (const field of splitFields(output)) {
    const [, added = "", removed = "", path = ""] = /^(\S+)\t(\S+)\t(.*)$/s.exec(decodePath(field)) ?? [];
    if (!exact.has(path) && !paths.some((folder) => isUnder(path, folder))) continue;
    sum += (Number.parseInt(added, 10) || 0) + (Number.parseInt(removed, 10) || 0);
  }
  return sum;
}

export async function patchBetween(git: Git, pair: TreePair): Promise<string> {
  const options = { timeoutMs: wholeTreeTimeoutMs, whenTooLong: "cut" } as const;
  const output = await compared(git, pair, { args: ["-p", "-M", "--no-color"], ...options });
  return output?.toString("utf8") ?? "";
}
