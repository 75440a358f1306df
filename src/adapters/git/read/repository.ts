import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import { hardenedGit } from "../process/git.ts";
import { isUnder } from "../process/git-path.ts";
import { allowsNothing, type GitCaller } from "../process/personal-git.ts";
import { lastWords, unavailable } from "../process/run-git.ts";

export type Repository = GitCaller & {
  /** Top of the working tree, links resolved. All paths of the adapter are relative to it. */
  readonly top: string;
  /** The git folder of this working tree; a linked worktree has one of its own. */
  readonly gitDir: string;
};

/** Whoever only asks agreed to nothing. */
type Asking = Pick<GitCaller, "env"> & Partial<GitCaller>;

/** Asks once per folder and remembers a repository that was found; throws GIT_UNAVAILABLE where there is none. */
export function repositoryAt(cwd: string, caller: Asking): () => Promise<Repository> {
  let known: Repository | null = null;
  return async () => (known ??= await openRepository(cwd, { allows: allowsNothing, ...caller }));
}

/** The same, with null for every reason not to have one. */
export async function orNull(open: () => Promise<Repository>): Promise<Repository | null> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === "GIT_UNAVAILABLE") return null;
    throw error;
  }
}

async function openRepository(cwd: string, caller: GitCaller): Promise<Repository> {
  const ask = async (...questions: string[]) => {
    const answer = await hardenedGit(cwd, caller.env)(["rev-parse", ...questions]);
    if (answer.status !== 0) throw unavailable(lastWords(answer));
    return answer.stdout.toString("utf8").replace(/\n$/, "");
  };
  const both = (await ask("--show-toplevel", "--absolute-git-dir")).split("\n");
  const [told = "", gitDir = ""] =
    both.length === 2 ? both : [await ask("--show-toplevel"), await ask("--absolute-git-dir")]; // a name with a line break
  const top = await realpath(told);
  // `core.worktree` of a repository can claim any folder as its tree; a real one has .git in it.
  const isTree = await lstat(join(top, ".git")).then(
    () => true,
    () => false,
  );
  if (!isTree || !isUnder(await realpath(cwd), top)) throw unavailable(`${top} is not the working tree of ${cwd}`);
  return { top, gitDir, env: caller.env, allows: caller.allows, variables: caller.variables };
}
