import { basename } from "node:path";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { isObjectId, refPart } from "../snapshot/ref-name.ts";

const ID_LENGTH = 12;

/**
 * Saves commits known only to this working tree (amended, reset away or made without a branch) under refs of the
 * repository, because its reflog and own refs are deleted with it. Returns the refs.
 */
export async function keepLooseCommits(tree: string, main: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const git = hardenedGit(main, env);
  const kept: string[] = [];
  for (const tip of await looseTips(git, await knownTips(hardenedGit(tree, env)))) {
    const ref = `refs/isdlc/loose/${refPart(basename(tree))}/${tip.slice(0, ID_LENGTH)}`;
    await must(git(["update-ref", "--end-of-options", ref, tip]), "update-ref");
    kept.push(ref);
  }
  return kept;
}

/** Lists commits of HEAD, ORIG_HEAD, the reflog of HEAD and the refs of this working tree, in this order. */
async function knownTips(git: Git): Promise<string[]> {
  const logged = await git(["log", "--walk-reflogs", "--format=%H", "HEAD", "--"]);
  const own = ["refs/worktree", "refs/bisect", "refs/rewritten"];
  const refs = await must(git(["for-each-ref", "--format=%(objectname)", ...own]), "for-each-ref");
  const [head, before] = await Promise.all([
    git(["rev-parse", "--verify", "HEAD"]),
    git(["rev-parse", "--verify", "ORIG_HEAD"]),
  ]);
  const text = [head.stdout, before.stdout, logged.stdout, refs].map((output) => output.toString("latin1")).join("\n");
  return [...new Set(text.split("\n").filter(isObjectId))];
}

/**
 * Returns tips that are reachable neither from a shared ref nor from another tip. HEADs of other working trees do not
 * count.
 */
async function looseTips(git: Git, tips: readonly string[]): Promise<string[]> {
  if (tips.length === 0) return [];
  const input = Buffer.from(tips.map((tip) => `${tip}\n`).join(""));
  const args = ["rev-list", "--parents", "--ignore-missing", "--stdin", "--single-worktree", "--not", "--all"];
  const output = await must(git(args, { input, timeoutMs: wholeTreeTimeoutMs }), "rev-list");
  const lines = output
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
  const loose = new Set(lines.map((line) => line.split(" ")[0] ?? ""));
  const parents = new Set(lines.flatMap((line) => line.split(" ").slice(1)));
  return tips.filter((tip) => loose.has(tip) && !parents.has(tip));
}
