import { homedir } from "node:os";
import { FOR_GIT_CHANGES, FOR_GIT_QUESTIONS, pickVariables } from "../../process/child-environment.ts";
import { trustedPath } from "./working-trees.ts";

/**
 * Builds the environment of read-only git calls. Variables of the caller do not change git's behavior, and no
 * transport is allowed: a partial clone cannot start a fetch.
 */
export function readingEnvironment(cwd: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = selected(cwd, env, FOR_GIT_QUESTIONS);
  return { ...kept, ...quiet, ...unreplaced, GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", LC_ALL: "C" };
}

/**
 * Builds the environment of git calls that write. It contains the variables needed by the user's hooks, filters and
 * signing, and disables editors, pagers and prompts. `ISDLC_AGENT` marks hooks as agents: an agent may have written
 * them, and hooks decide nothing.
 */
export function writingEnvironment(
  cwd: string,
  env: NodeJS.ProcessEnv,
  allowed: readonly string[] = [],
): NodeJS.ProcessEnv {
  const kept = selected(cwd, env, [...FOR_GIT_CHANGES, ...allowed]);
  return { ...kept, ...quiet, ...unreplaced, ISDLC_AGENT: "1" };
}

const quiet = { GIT_EDITOR: "true", GIT_SEQUENCE_EDITOR: "true", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/** Ignores replacements under refs/replace and grafts files: an id always means its own content. */
const unreplaced = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };

/** Returns the home folder, where git looks for the user's settings. */
export const homeFolder = (env: NodeJS.ProcessEnv): string => env["HOME"] || homedir();

/** Picks the named variables, and a PATH that the repository cannot influence. */
const selected = (cwd: string, env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv => ({
  ...pickVariables(env, names),
  PATH: pathFor(cwd, env["PATH"] ?? ""),
});

/** Caches the last PATH: most git processes start in the same folder with the same PATH. */
let found = { cwd: "", path: "", trusted: "" };

function pathFor(cwd: string, path: string): string {
  if (found.cwd !== cwd || found.path !== path) found = { cwd, path, trusted: trustedPath(path, cwd) };
  return found.trusted;
}
