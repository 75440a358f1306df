import type { CodeHistory, CommitCount, Distance } from "../../../ports/code-history.ts";
import { gitFailed } from "../process/run-git.ts";
import { join } from "node:path";
import { isSameCommit } from "../../../core/items/staleness.ts";
import { nodeFiles } from "../../file-system/file-system.ts";
import { hardenedGit, must } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { gitFolders, readHead } from "./git-head.ts";
import { isUnder } from "../process/git-path.ts";
import { changesBetween } from "../snapshot/tree-diff.ts";
import type { TreePair } from "../snapshot/tree-diff.ts";

/** Paths whose changes say nothing about the code. */
export const ITEM_PATHS: readonly string[] = ["docs/requirements", "docs/features", "BACKLOG.md"];

const MOST = 1000;
const unknown: Distance = { commits: "unknown", changed: "unknown" };

/**
 * What changed in a repository since an item was analysed. Never throws, runs nothing the repository configures, and
 * starts git twice at most, however far away the commit is; not at all when HEAD is that commit and can be read.
 */
export function createCodeHistory(root: string): CodeHistory {
  const git = hardenedGit(root);
  let known: Promise<Head | null> | null = null;
  const head = (): Promise<Head | null> => (known ??= findHead(git, root));
  return {
    head: async () => (await head())?.hash ?? null,
    async since(hash, except = ITEM_PATHS) {
      const current = await head();
      if (current === null || !/^[0-9a-f]{4,64}$/.test(hash)) return unknown;
      if (isSameCommit(hash, current.hash)) return { commits: 0, changed: [] };
      const old = `${hash}^{commit}`;
      const listing = current.parents ?? (await orUnknown(listCommits(git, [current.hash, old])));
      const older =
        listing === "unknown" ? undefined : [...listing.keys()].find((commit) => isSameCommit(hash, commit));
      const changed = await orUnknown(changedFiles(git, { from: older ?? old, to: current.hash }, except));
      if (listing === "unknown" || changed === "unknown") return { commits: "unknown", changed };
      return { commits: countCommits(listing, { current, older, isShallow: isShallow(root) }), changed };
    },
  };
}

type Parents = ReadonlyMap<string, readonly string[]>;
/** `parents`: the newest commits of HEAD, where git had to be asked for it anyway. */
type Head = { readonly hash: string; readonly parents: Parents | null };

async function findHead(git: Git, root: string): Promise<Head | null> {
  const read = readHead(root);
  if (read !== null) return { hash: read.hash, parents: null };
  const parents = await orUnknown(listCommits(git, ["HEAD"]));
  const [hash] = parents === "unknown" ? [] : parents.keys();
  return parents === "unknown" || hash === undefined ? null : { hash, parents };
}

async function changedFiles(git: Git, pair: TreePair, except: readonly string[]): Promise<string[]> {
  const changes = await changesBetween(git, pair);
  if (changes === null) throw gitFailed("diff-tree", "one of the commits is missing");
  return changes.map(({ path }) => path).filter((path) => !except.some((folder) => isUnder(path, folder)));
}

/** The newest commits reachable from the tips, with their parents. */
async function listCommits(git: Git, tips: readonly string[]): Promise<Parents> {
  const args = ["rev-list", "--parents", `--max-count=${MOST + 1}`, "--end-of-options", ...tips, "--"];
  return parentsOf((await must(git(args), "rev-list")).toString("latin1"));
}

type Ends = { readonly current: Head; readonly older: string | undefined; readonly isShallow: boolean };

/**
 * `rev-list --count old..HEAD` walks all the way, also with a limit. Here what belongs to HEAD alone is counted among
 * the newest commits, so that the cost does not grow with the distance.
 */
function countCommits(parents: Parents, { current, older, isShallow }: Ends): CommitCount {
  const isWhole = parents.size <= MOST;
  const isListed = older !== undefined;
  if (!parents.has(current.hash) || (!isListed && (isWhole || current.parents !== null))) return "unknown";
  const theirs = isListed ? reachable(parents, older) : new Set<string>();
  const ours = reachable(parents, current.hash);
  if (isShallow && isListed && !ours.has(older)) return "unknown"; // what they share may be cut off
  const alone = [...ours].filter((commit) => !theirs.has(commit));
  if (alone.length > MOST) return `${MOST}+`;
  const isCut = !isWhole && alone.some((commit) => parents.get(commit)?.some((parent) => !parents.has(parent)));
  return isCut ? `${alone.length}+` : alone.length;
}

function parentsOf(output: string): Parents {
  const lines = output.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [commit = "", ...parents] = line.split(" ");
      return [commit, parents];
    }),
  );
}

/** The commit and its ancestors, as far as they are listed. */
function reachable(parents: Parents, from: string): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    if (seen.has(commit) || !parents.has(commit)) continue;
    seen.add(commit);
    open.push(...(parents.get(commit) ?? []));
  }
  return seen;
}

function isShallow(root: string): boolean {
  const folders = gitFolders(root);
  return (
    folders === null || nodeFiles.lstatSync(join(folders.common, "shallow"), { throwIfNoEntry: false }) !== undefined
  );
}

/** An object that is gone, no git, no answer in time: for a comparison these are all the same. */
async function orUnknown<T>(answer: Promise<T>): Promise<T | "unknown"> {
  try {
    return await answer;
  } catch {
    return "unknown";
  }
}
