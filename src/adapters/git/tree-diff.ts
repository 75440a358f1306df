import type { FileChange } from "../../schema/facts.ts";
import { must, wholeTreeTimeoutMs } from "./git.ts";
import type { Git } from "./git.ts";
import { decodePath, isUnder, splitFields } from "./git-path.ts";
import { isObjectId } from "./ref-name.ts";

export type TreePair = { readonly from: string; readonly to: string };

const plain = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];
const timeoutMs = 30_000;

/** Both ends, when both are commits or trees this repository has. */
export async function knownPair(git: Git, from: string | null, to: string | null): Promise<TreePair | null> {
  if (from === null || to === null || !isObjectId(from) || !isObjectId(to)) return null;
  const input = Buffer.from(`${from}^{tree}\n${to}^{tree}\n`);
  const found = await must(git(["cat-file", "--batch-check=%(objecttype)"], { input }), "cat-file");
  return found.toString("utf8") === "tree\ntree\n" ? { from, to } : null;
}

/** Renames are told as one deleted and one added file, so that every touched path is named. */
export async function changesBetween(git: Git, { from, to }: TreePair): Promise<FileChange[]> {
  const args = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", ...plain, from, to];
  const fields = splitFields(await must(git(args, { timeoutMs }), "diff-tree"));
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
export async function linesBetween(git: Git, { from, to }: TreePair, paths: readonly string[]): Promise<number> {
  if (paths.length === 0) return 0;
  const args = ["diff-tree", "-r", "-z", "--numstat", "--no-renames", ...plain, from, to];
  const output = await must(git(args, { timeoutMs: wholeTreeTimeoutMs }), "diff-tree");
  const exact = new Set(paths);
  let sum = 0;
  for (const field of splitFields(output)) {
    const [, added = "", removed = "", path = ""] = /^(\S+)\t(\S+)\t(.*)$/s.exec(decodePath(field)) ?? [];
    if (!exact.has(path) && !paths.some((folder) => isUnder(path, folder))) continue;
    sum += (Number.parseInt(added, 10) || 0) + (Number.parseInt(removed, 10) || 0);
  }
  return sum;
}

export async function patchBetween(git: Git, { from, to }: TreePair): Promise<string> {
  const args = ["diff-tree", "-r", "-p", "-M", "--no-color", ...plain, from, to];
  const result = git(args, { timeoutMs: wholeTreeTimeoutMs, whenTooLong: "cut" });
  return (await must(result, "diff-tree")).toString("utf8");
}
