import type { ChangeBackground, PastCommit } from "../../../ports/workspace.ts";
import type { Git } from "../process/git.ts";
import { decodePath } from "../process/git-path.ts";
import { isObjectId } from "../process/ref-name.ts";

/** Limits of facts that only help to read: if git takes longer, they are left out. */
const MAX_COMMITS = 400;
const LIMITS = { timeoutMs: 1500, whenTooLong: "cut" } as const;
const START = "\u0001";

/** Reads what the repository knows about files before a change, with two processes of limited time. */
export async function readBackground(git: Git, commit: string, words: readonly string[]): Promise<ChangeBackground> {
  const [commits, tests] = await Promise.all([listPastCommits(git, commit), findTestsNaming(git, commit, words)]);
  return { commits, tests };
}

/** Lists commits before a change, newest first, each with its title and files. Merges count as one commit. */
async function listPastCommits(git: Git, commit: string): Promise<PastCommit[]> {
  if (!isObjectId(commit)) return [];
  const format = `--format=%x01%s`;
  const args = ["log", "-z", "--first-parent", "-m", "--no-renames", "--name-only", `-n${MAX_COMMITS}`, format, commit];
  const result = await git([...args, "--"], LIMITS).catch(() => null);
  if (result?.status !== 0) return [];
  return decodePath(result.stdout)
    .split(START)
    .slice(1)
    .map((entry) => {
      const [title = "", ...paths] = entry.split("\0").map((part) => part.replace(/^\n/, ""));
      return { title, paths: paths.filter((path) => path !== "") };
    });
}

const MAX_SEARCHED_WORDS = 60;
const WORD = /^[\w-]{3,80}$/;
/** Places of tests, as patterns of git. */
const TESTS = ["*test*", "*spec*", "*Test*", "*Spec*"];

/** Returns the test files of a tree that contain each word. */
async function findTestsNaming(
  git: Git,
  tree: string,
  words: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const asked = words.filter((word) => WORD.test(word)).slice(0, MAX_SEARCHED_WORDS);
  if (!isObjectId(tree) || asked.length === 0) return new Map();
  const args = ["grep", "-I", "-z", "-o", "-w", "-F", "--no-color", "--full-name"];
  const found = await git([...args, ...asked.flatMap((word) => ["-e", word]), tree, "--", ...TESTS], LIMITS).catch(
    () => null,
  );
  const tests = new Map<string, Set<string>>();
  for (const line of found?.status === 0 ? decodePath(found.stdout).split("\n") : []) {
    const [place = "", word = ""] = line.split("\0");
    const path = place.slice(tree.length + 1);
    if (path !== "") tests.set(word, (tests.get(word) ?? new Set()).add(path));
  }
  return new Map([...tests].map(([word, paths]) => [word, [...paths].toSorted()]));
}
