import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Submodule } from "../../../ports/workspace.ts";
import { readFromIndex } from "../objects/git-index.ts";
import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { decodePath, splitFields } from "../process/git-path.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import { SUBMODULE } from "../objects/tree-entries.ts";

/** Further files are not checked. */
const MAX_WALKED_PATHS = 20_000;

type Snapshot = {
  readonly top: string;
  readonly tree: string;
  /** An index with exactly the files of the snapshot, if there is one. */
  readonly index: IndexEnvironment | null;
};

/** Lists the submodules of a snapshot. They are read from outside: git does not run in them. */
export async function submodulesIn(git: Git, { top, tree, index }: Snapshot): Promise<Submodule[]> {
  const paths = (index && pathsInIndex(index)) ?? (await submodulePaths(git, tree));
  return paths.map((path) => ({ path, changedAt: lastChange(join(top, path)) }));
}

function pathsInIndex({ GIT_INDEX_FILE: file = "" }: IndexEnvironment): string[] | null {
  const submodules = readFromIndex(file, ({ isSubmodule }) => isSubmodule)?.entries;
  return submodules?.map(({ name }) => decodePath(Buffer.from(name, "latin1"))) ?? null;
}

/** Lists the submodules of a tree, or of a commit's tree. */
export async function submodulePaths(git: Git, tree: string): Promise<string[]> {
  const args = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options", tree];
  const fields = splitFields(await must(git(args, { timeoutMs: wholeTreeTimeoutMs }), "ls-tree"));
  return fields
    .filter((field) => field.toString("latin1", 0, SUBMODULE.length) === SUBMODULE)
    .map((field) => decodePath(field.subarray(field.indexOf(0x09) + 1)));
}

function lastChange(folder: string): number {
  const left = [folder];
  let latest = 0;
  for (let seen = 0; left.length > 0 && seen < MAX_WALKED_PATHS; seen++) {
    const path = left.pop() ?? "";
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (facts?.isDirectory() === true) left.push(...namesIn(path).map((name) => join(path, name)));
    else latest = Math.max(latest, facts?.ctimeMs ?? 0);
  }
  return latest;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name !== ".git");
  } catch {
    return []; // deleted in the meantime, or no permission
  }
}
