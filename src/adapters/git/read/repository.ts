import { realpathSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import { hardenedGit } from "../process/git.ts";
import { isUnder } from "../process/git-path.ts";
import { allowsNothing, type GitCaller } from "../process/personal-git.ts";
import { lastWords, unavailable } from "../process/run-git.ts";
import { readHead } from "./git-head.ts";
import { recalledSettings, type RepositorySetting } from "./repository-settings.ts";

export type Repository = GitCaller & {
  /** Top of the working tree, links resolved. All paths of the adapter are relative to it. */
  readonly top: string;
  /** The git folder of this working tree; a linked worktree has one of its own. */
  readonly gitDir: string;
};

/** Whoever only asks agreed to nothing. */
type RepositoryQuery = Pick<GitCaller, "env"> & Partial<GitCaller>;

/** Asks once per folder and remembers a repository that was found; throws GIT_UNAVAILABLE where there is none. */
export function repositoryAt(cwd: string, caller: RepositoryQuery): () => Promise<Repository> {
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

type Layout = Pick<Repository, "top" | "gitDir">;

/** Layouts that git told, by the settings of the tree with which it did: forgotten when these are. */
const told = new WeakMap<readonly RepositorySetting[], Layout>();

/** Git is asked again once anything is different by which it finds a repository: a link, HEAD, or the place or content of a file with settings. */
async function openRepository(cwd: string, { env, allows, variables }: GitCaller): Promise<Repository> {
  const settings = recalledSettings(cwd, env);
  const known = settings === null ? undefined : told.get(settings);
  if (known !== undefined && isStillThere(cwd, known)) return { ...known, env, allows, variables };
  const layout = await askForLayout(cwd, env);
  if (settings !== null && settings === recalledSettings(cwd, env) && isStillThere(cwd, layout))
    told.set(settings, layout);
  return { ...layout, env, allows, variables };
}

/** For the top of a tree only: between it and a folder further down another repository may come to be. */
function isStillThere(cwd: string, { top }: Layout): boolean {
  try {
    return realpathSync(cwd) === top && readHead(top) !== null;
  } catch {
    return false; // gone, or a link: git says what is wrong
  }
}

async function askForLayout(cwd: string, env: NodeJS.ProcessEnv): Promise<Layout> {
  const ask = async (...questions: string[]) => {
    const answer = await hardenedGit(cwd, env)(["rev-parse", ...questions]);
    if (answer.status !== 0) throw unavailable(lastWords(answer));
    return answer.stdout.toString("utf8").replace(/\n$/, "");
  };
  const both = (await ask("--show-toplevel", "--absolute-git-dir")).split("\n");
  const [shown = "", gitDir = ""] =
    both.length === 2 ? both : [await ask("--show-toplevel"), await ask("--absolute-git-dir")]; // a name with a line break
  const top = await realpath(shown);
  // `core.worktree` of a repository can claim any folder as its tree; a real one has .git in it.
  const isTree = await lstat(join(top, ".git")).then(
    () => true,
    () => false,
  );
  if (!isTree || !isUnder(await realpath(cwd), top)) throw unavailable(`${top} is not the working tree of ${cwd}`);
  return { top, gitDir };
}
