import { ProblemError } from "../../core/problem.ts";
import { type Git, hardenedGit } from "../git/process/git.ts";
import { lastWords, unavailable } from "../git/process/run-git.ts";
import { isObjectId } from "../git/process/ref-name.ts";

/** Variables with the location of pushed objects, set by git for hooks on the receiving side. */
const QUARANTINE = ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH"];

/** Enough to walk the history of a large repository. */
const GIT_TIMEOUT_MS = 120_000; // milliseconds

/**
 * Returns git for questions about commits. Unlike elsewhere, a repository without a working tree is accepted: server
 * hooks run in one, and the pushed objects are where git's variables say.
 * @throws ProblemError GIT_UNAVAILABLE if there is no repository
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

/** Reads objects as they are: replacements of a commit or its parents by the repository are ignored. */
const ASIS = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null" };

/** Returns the commit of a name. Null if the name is unknown to git, or not allowed. */
export async function commitNamed(git: Git, name: string): Promise<string | null> {
  if (!isAskable(name)) return null;
  const answer = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`]);
  const id = answer.stdout.toString("latin1").trim();
  return answer.status === 0 && isObjectId(id) ? id : null;
}

export const commitsUnknown = (named: string): ProblemError => new ProblemError({ code: "COMMITS_UNKNOWN", named });

/** Names come from users and build servers: none may be empty, pass for an option or contain control characters. */
export const isAskable = (name: string): boolean => name !== "" && !name.startsWith("-") && !/\p{Cc}/u.test(name);
