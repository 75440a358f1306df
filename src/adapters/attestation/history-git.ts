import { ProblemError } from "../../core/problem.ts";
import { type Git, hardenedGit } from "../git/process/git.ts";
import { lastWords, unavailable } from "../git/process/run-git.ts";
import { isObjectId } from "../git/snapshot/ref-name.ts";

/** Where git keeps what is being pushed while a hook of the receiving side looks at it. */
const QUARANTINE = ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH"];

/** Walking the history of a large repository. */
const GIT_TIMEOUT_MS = 120_000; // milliseconds

/**
 * Git for questions about commits. Unlike elsewhere, a repository without a working tree is fine: hooks of servers run
 * in one, and then the objects being pushed are where git says.
 * @throws ProblemError GIT_UNAVAILABLE where there is no repository.
 */
export async function historyGit(cwd: string, env: NodeJS.ProcessEnv): Promise<Git> {
  const plain = hardenedGit(cwd, env);
  const found = await plain(["rev-parse", "--absolute-git-dir"]);
  if (found.status === 0) return patient(plain, {});
  const bare = await plain(["--git-dir=.", "rev-parse", "--is-bare-repository"]);
  if (bare.status !== 0 || bare.stdout.toString("latin1").trim() !== "true") throw unavailable(lastWords(found));
  const quarantine = QUARANTINE.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return patient((args, options) => plain(["--git-dir=.", ...args], options), Object.fromEntries(quarantine));
}

const patient =
  (git: Git, environment: Readonly<Record<string, string>>): Git =>
  (args, options) =>
    git(args, {
      timeoutMs: GIT_TIMEOUT_MS,
      ...options,
      environment: { ...ASIS, ...environment, ...options?.environment },
    });

/** Objects as they are: nothing that the repository puts in the place of a commit, or of its parents, is looked at. */
const ASIS = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null" };

/** The commit that a name stands for; null when git knows none. */
export async function commitNamed(git: Git, name: string): Promise<string | null> {
  if (!isAskable(name)) return null;
  const answer = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  const id = answer.stdout.toString("latin1").trim();
  return answer.status === 0 && isObjectId(id) ? id : null;
}

export const commitsUnknown = (named: string): ProblemError => new ProblemError({ code: "COMMITS_UNKNOWN", named });

/** Names come from people and build servers; none of them is taken for an option. */
export const isAskable = (name: string): boolean => name !== "" && !name.startsWith("-") && !/\p{Cc}/u.test(name);
