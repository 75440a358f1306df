import type { Git } from "../process/git.ts";
import { hardenedGit, must } from "../process/git.ts";
import { isUnder } from "../process/git-path.ts";
import { ITEM_PATHS } from "./git-distance.ts";
import { readHead } from "./git-head.ts";

/** From so many commits on, the rest is not compared: a list is no place to wait at. */
const MAX_PATHS = 200;

/**
 * Whether the code differs between HEAD and each of many commits, outside the folders of items. Commits that git cannot
 * compare are left out. Starts git once where other folders differ too, once more where the documents alone do, and once
 * before for shortened hashes. Never throws.
 */
export function codeMovedOn(
  root: string,
  commits: Iterable<string>,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, boolean>> {
  const head = readHead(root)?.hash;
  return head === undefined ? Promise.resolve(new Map()) : movedOnSince(hardenedGit(root, env), { head, commits });
}

/** The same for any commit in place of HEAD. */
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
    return new Map(); // no git, no answer in time
  }
}

/** What each hash is in full; without those that name no commit. */
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

/** For each commit that git has, whether it differs from HEAD. Folders are looked into only where that decides. */
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
 * What differs between HEAD and each commit that git has. A commit with HEAD behind it on a line is compared as if that
 * were its parent, and answered with a line that names it, followed by one for each difference, which begins with a colon.
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
