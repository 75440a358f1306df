import { realpathSync } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import { ProblemError } from "../../../core/problem.ts";
import { hardenedGit } from "../process/git.ts";
import { isUnder } from "../process/git-path.ts";
import { allowsNothing, type GitCaller } from "./personal-git.ts";
import { lastWords, unavailable } from "../process/run-git.ts";
import { readHead } from "./git-head.ts";
import { recalledSettings, type RepositorySetting } from "./repository-settings.ts";

export type Repository = GitCaller & {
  /** Top of the working tree, with links resolved. All paths of the adapter are relative to it. */
  readonly top: string;
  /** Git folder of this working tree. A linked worktree has its own. */
  readonly gitDir: string;
};

/** A caller that only reads allows nothing. */
type RepositoryQuery = Pick<GitCaller, "env"> & Partial<GitCaller>;

/**
 * Opens the repository of a folder once and caches it.
 * @throws ProblemError GIT_UNAVAILABLE if the folder is in no repository.
 */
export function repositoryAt(cwd: string, caller: RepositoryQuery): () => Promise<Repository> {
  let known: Repository | null = null;
  return async () => (known ??= await openRepository(cwd, { allows: allowsNothing, ...caller }));
}

/** Opens a repository; null instead of GIT_UNAVAILABLE. Other errors are thrown. */
export async function orNull(open: () => Promise<Repository>): Promise<Repository | null> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === "GIT_UNAVAILABLE") return null;
    throw error;
  }
}

type Layout = Pick<Repository, "top" | "gitDir">;

/** Layouts reported by git, by the settings of the working tree at that time. They are dropped with these settings. */
const told = new WeakMap<readonly RepositorySetting[], Layout>();

/**
 * Opens the repository around a folder. Asks git again if anything changed that git uses to find it: a link, HEAD, or
 * the place or content of a settings file.
 */
async function openRepository(cwd: string, { env, allows, variables }: GitCaller): Promise<Repository> {
  const settings = recalledSettings(cwd, env);
  const known = settings === null ? undefined : told.get(settings);
  if (known !== undefined && isStillThere(cwd, known)) return { ...known, env, allows, variables };
  const layout = await askForLayout(cwd, env);
  if (settings !== null && settings === recalledSettings(cwd, env) && isStillThere(cwd, layout))
    told.set(settings, layout);
  return { ...layout, env, allows, variables };
}

/** Accepts only the top of a working tree: between the top and a deeper folder, another repository may appear. */
function isStillThere(cwd: string, { top }: Layout): boolean {
  try {
    return realpathSync(cwd) === top && readHead(top) !== null;
  } catch {
    return false; // missing, or a link: git reports the reason
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
    both.length === 2 ? both : [await ask("--show-toplevel"), await ask("--absolute-git-dir")]; // a path with a line break
  const top = await realpath(shown);
  // A repository's `core.worktree` can claim any folder as its tree. A real working tree contains .git.
  const isTree = await lstat(join(top, ".git")).then(
    () => true,
    () => false,
  );
  if (!isTree || !isUnder(await realpath(cwd), top)) throw unavailable(`${top} is not the working tree of ${cwd}`);
  return { top, gitDir };
}
