import { homedir } from "node:os";
import { FOR_GIT_CHANGES, FOR_GIT_QUESTIONS, pickVariables } from "../../process/child-environment.ts";
import { trustedPath } from "../read/working-trees.ts";

/** For questions, made anew from the caller's: no variable steers git, no transport is allowed, so a partial clone cannot start a fetch. */
export function readingEnvironment(cwd: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = selected(cwd, env, FOR_GIT_QUESTIONS);
  return { ...kept, ...quiet, ...unreplaced, GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", LC_ALL: "C" };
}

/**
 * For changes: what hooks, filters and signing of a person need, and never an editor, a pager or a prompt. Hooks carry the
 * mark of agents: an agent may have put them there, and no hook decides anything.
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

/** An object is what its id says, whatever stands in its place under refs/replace or in a file of grafts. */
const unreplaced = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };

/** The folder in which git looks for what a person set. */
export const homeFolder = (env: NodeJS.ProcessEnv): string => env["HOME"] || homedir();

/** With a PATH in which the repository has no say. */
const selected = (cwd: string, env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv => ({
  ...pickVariables(env, names),
  PATH: pathFor(cwd, env["PATH"] ?? ""),
});

/** The last answer: most gits are started in the same folder with the same PATH. */
let found = { cwd: "", path: "", trusted: "" };

function pathFor(cwd: string, path: string): string {
  if (found.cwd !== cwd || found.path !== path) found = { cwd, path, trusted: trustedPath(path, cwd) };
  return found.trusted;
}
