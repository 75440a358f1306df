import { gitFailed } from "../process/run-git.ts";
import { join } from "node:path";
import { isSameCommit } from "../../../core/items/staleness.ts";
import { nodeFiles } from "../../files/file-system.ts";
import { hardenedGit, must } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { readHead } from "../read/git-head.ts";
import { gitFolders } from "../process/working-trees.ts";
import { isUnder } from "../process/git-path.ts";
import { changesBetween, patchBetween } from "./tree-diff.ts";
import type { TreePair } from "./tree-diff.ts";
import type { CodeHistory, Distance } from "../../../ports/vcs.ts";

/** Paths with changes that do not affect the code. */
export const ITEM_PATHS: readonly string[] = ["docs/requirements", "docs/features", "BACKLOG.md"];

/** A history that takes longer is reported without a count, because the user waits for the build to start. */
const countTimeoutMs = 1_500;
const unknown: Distance = { commits: "unknown", changed: "unknown" };

/**
 * Reads the changes of a repository since the analysis of an item. Never throws, and runs nothing configured by the
 * repository. Starts git twice, three times for an abbreviated hash, and not at all if HEAD is that commit and is
 * readable.
 */
export function createCodeHistory(root: string, env: NodeJS.ProcessEnv): CodeHistory {
  const git = hardenedGit(root, env);
  let known: Promise<string | null> | null = null;
  const head = (): Promise<string | null> => (known ??= findHead(git, root));
  return {
    head,
    async since(hash, except = ITEM_PATHS) {
      const current = await head();
      if (current === null || !/^[0-9a-f]{4,64}$/.test(hash)) return unknown;
      if (isSameCommit(hash, current)) return { commits: 0, changed: [] };
      const older = await orUnknown(fullName(git, hash, current.length));
      if (older === "unknown") return unknown;
      const pair = { from: older, to: current };
      const [commits, changed] = await Promise.all([
        orUnknown(countCommits(git, pair, isShallow(root))),
        orUnknown(changedFiles(git, pair, except)),
      ]);
      return { commits: changed === "unknown" ? changed : commits, changed };
    },
    async patch(hash, paths) {
      const current = await head();
      if (current === null || !/^[0-9a-f]{4,64}$/.test(hash)) return null;
      const older = await orUnknown(fullName(git, hash, current.length));
      if (older === "unknown") return null;
      const patch = await orUnknown(patchBetween(git, { from: `${older}^{commit}`, to: current }, paths));
      return patch === "unknown" ? null : patch;
    },
  };
}

async function findHead(git: Git, root: string): Promise<string | null> {
  const read = readHead(root);
  if (read !== null) return read.hash;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"];
  const hash = await orUnknown(must(git(args), "rev-parse"));
  return hash === "unknown" ? null : hash.toString("latin1").trim();
}

/** Returns the object with this hash. Ignores branches and tags of that name. */
async function fullName(git: Git, hash: string, length: number): Promise<string> {
  if (hash.length === length) return hash;
  const found = (await must(git(["rev-parse", `--disambiguate=${hash}`]), "rev-parse")).toString("latin1").split("\n");
  const [only = "", ...others] = found.filter((name) => name !== "");
  if (only === "" || others.length > 0) throw gitFailed("rev-parse", "the hash names no object, or several");
  return only;
}

async function changedFiles(git: Git, pair: TreePair, except: readonly string[]): Promise<string[]> {
  const changes = await changesBetween(git, { ...pair, from: `${pair.from}^{commit}` });
  if (changes === null) throw gitFailed("diff-tree", "a commit is missing");
  return changes.map(({ path }) => path).filter((path) => !except.some((folder) => isUnder(path, folder)));
}

/**
 * Counts commits. A shallow clone may lack the common history of two branches: there, only the distance to an ancestor
 * is known.
 */
async function countCommits(git: Git, { from, to }: TreePair, isCut: boolean): Promise<number> {
  const options = { timeoutMs: countTimeoutMs };
  if (isCut) await must(git(["merge-base", "--is-ancestor", from, to], options), "merge-base");
  const args = ["rev-list", "--count", "--end-of-options", to, `^${from}^{commit}`, "--"];
  return Number((await must(git(args, options), "rev-list")).toString("latin1"));
}

function isShallow(root: string): boolean {
  const folders = gitFolders(root);
  return (
    folders === null || nodeFiles.lstatSync(join(folders.common, "shallow"), { throwIfNoEntry: false }) !== undefined
  );
}

/** Treats all failures alike: a missing object, no git, a timeout. */
async function orUnknown<T>(answer: Promise<T>): Promise<T | "unknown"> {
  try {
    return await answer;
  } catch {
    return "unknown";
  }
}
