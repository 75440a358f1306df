import type { Git } from "../process/git.ts";
import { hardenedGit, must } from "../process/git.ts";
import { ITEM_PATHS } from "./git-distance.ts";

/** From so many commits on, the rest is not compared: a list is no place to wait at. */
const MOST = 200;

/**
 * Whether the code differs between HEAD and each of many commits, outside the folders of items. Commits that git cannot
 * compare are left out. Starts git twice at most, however many there are. Never throws.
 */
export async function codeMovedOn(
  root: string,
  commits: Iterable<string>,
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, boolean>> {
  const asked = [...new Set(commits)].filter((commit) => /^[0-9a-f]{4,64}$/.test(commit)).slice(0, MOST);
  if (asked.length === 0) return new Map();
  const git = hardenedGit(root, env);
  try {
    const [head = null, ...trees] = await treesOf(git, ["HEAD", ...asked]);
    if (head === null) return new Map();
    const others = [...new Set(trees)].filter((tree) => tree !== null && tree !== head) as string[]; // null is gone
    const moved = await differing(git, { head, others });
    return new Map(
      asked.flatMap((commit, index): [string, boolean][] => {
        const tree = trees[index] ?? null;
        return tree === null ? [] : [[commit, moved.has(tree)]];
      }),
    );
  } catch {
    return new Map(); // no git, no answer in time
  }
}

async function treesOf(git: Git, commits: readonly string[]): Promise<(string | null)[]> {
  const input = Buffer.from(commits.map((commit) => `${commit}^{tree}\n`).join(""));
  const output = await must(git(["cat-file", "--batch-check=%(objectname)"], { input }), "cat-file");
  const lines = output.toString("latin1").split("\n").slice(0, commits.length);
  return lines.map((line) => (/^[0-9a-f]{40,64}$/.test(line) ? line : null));
}

type Comparison = { readonly head: string; readonly others: readonly string[] };

/** Pairs of trees are read from stdin; each is answered with a line that repeats it, followed by the paths. */
async function differing(git: Git, { head, others }: Comparison): Promise<ReadonlySet<string>> {
  if (others.length === 0) return new Set();
  const input = Buffer.from(others.map((tree) => `${tree} ${head}\n`).join(""));
  const excepted = ITEM_PATHS.map((path) => `:(exclude,top,literal)${path}`);
  const args = ["diff-tree", "--stdin", "-r", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv"];
  const output = await must(git([...args, "--", ":(top)", ...excepted], { input }), "diff-tree");
  const moved = new Set<string>();
  let at = "";
  for (const line of output
    .toString("latin1")
    .split("\n")
    .filter((text) => text !== "")) {
    const [tree = "", other] = line.split(" ");
    if (other === head && others.includes(tree)) at = tree;
    else moved.add(at);
  }
  return moved;
}
