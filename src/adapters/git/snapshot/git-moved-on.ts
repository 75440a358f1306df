import type { Git } from "../process/git.ts";
import { hardenedGit, must } from "../process/git.ts";
import { isUnder } from "../process/git-path.ts";
import { ITEM_PATHS } from "./git-distance.ts";
import { readHead } from "../read/git-head.ts";

/** Further commits are not compared, because a user waits for the list. */
const MAX_PATHS = 200;

/**
 * Checks for many commits if the code differs from HEAD outside the folders of items. Omits commits that git cannot
 * compare. Starts git once if other folders differ too, a second time if only documents or the folders around them
 * differ, and once before to expand short hashes. Never throws.
 */
export function codeMovedOn(
  root: string,
  commits: Iterable<string>,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, boolean>> {
  const head = readHead(root)?.hash;
  return head === undefined ? Promise.resolve(new Map()) : movedOnSince(hardenedGit(root, env), { head, commits });
}

/** Like `codeMovedOn`, for any commit instead of HEAD. */
export async function movedOnSince(
  git: Git,
  { head, commits }: { readonly head: string; readonly commits: Iterable<string> },
): Promise<ReadonlyMap<string, boolean>> {
  const asked = [...new Set(commits)].filter((commit) => /^[0-9a-f]{4,64}$/.test(commit)).slice(0, MAX_PATHS);
  if (asked.length === 0) return new Map();
  try {
    const named = await fullNames(git, asked, head.length);
    const moved = await differing(git, [...new Set(named.values())], head);
    return new Map(
      [...named].flatMap(([commit, name]): [string, boolean][] => {
        const hasMoved = moved.get(name);
        return hasMoved === undefined ? [] : [[commit, hasMoved]];
      }),
    );
  } catch {
    return new Map(); // no git, or a timeout
  }
}

/** Expands each hash. Omits hashes that name no commit. */
async function fullNames(git: Git, asked: readonly string[], length: number): Promise<ReadonlyMap<string, string>> {
  const short = asked.filter((commit) => commit.length !== length);
  const found = short.length === 0 ? [] : await expanded(git, short);
  const full = asked.filter((commit) => commit.length === length).map((commit) => [commit, commit] as const);
  return new Map([...full, ...found]);
}

async function expanded(git: Git, short: readonly string[]): Promise<(readonly [string, string])[]> {
  const input = Buffer.from(short.map((commit) => `${commit}^{commit}\n`).join(""));
  const output = await must(git(["cat-file", "--batch-check=%(objectname)"], { input }), "cat-file");
  const lines = output.toString("latin1").split("\n");
  return short.flatMap((commit, index) => {
    const name = lines[index] ?? "";
    return /^[0-9a-f]{40,64}$/.test(name) ? [[commit, name] as const] : [];
  });
}

/** Checks for each commit known to git if it differs from HEAD. Reads subfolders only if they decide the result. */
async function differing(git: Git, commits: readonly string[], head: string): Promise<ReadonlyMap<string, boolean>> {
  const above = await compared(git, { commits, head, args: [] });
  const unclear = [...above].filter(([, names]) => names.length > 0 && names.every(isOrHoldsItems));
  const args = ["-r", "--", ":(top)", ...ITEM_PATHS.map((path) => `:(exclude,top,literal)${path}`)];
  const below = await compared(git, { commits: unclear.map(([commit]) => commit), head, args });
  return new Map([...above].map(([commit, names]) => [commit, (below.get(commit) ?? names).length > 0]));
}

const isOrHoldsItems = (name: string): boolean => ITEM_PATHS.some((path) => isUnder(path, name));

type Comparison = { readonly commits: readonly string[]; readonly head: string; readonly args: readonly string[] };

/**
 * Lists the differences between HEAD and each commit known to git. In the input, HEAD after a commit takes the role of
 * its parent. In the output, a line with the commit is followed by one line per difference, which starts with a colon.
 */
async function compared(
  git: Git,
  { commits, head, args }: Comparison,
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (commits.length === 0) return new Map();
  const input = Buffer.from(commits.map((commit) => `${commit} ${head}\n`).join(""));
  const output = await must(git(["diff-tree", "--stdin", "--always", ...PLAIN, ...args], { input }), "diff-tree");
  const found = new Map<string, string[]>();
  let names: string[] = [];
  for (const line of output.toString("latin1").split("\n")) {
    if (line.startsWith(":")) names.push(line.slice(line.indexOf("\t") + 1));
    else if (commits.includes(line)) found.set(line, (names = []));
  }
  return found;
}

const PLAIN = ["--raw", "--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];
