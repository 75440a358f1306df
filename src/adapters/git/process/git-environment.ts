import { homedir } from "node:os";
import { trustedPath } from "../read/working-trees.ts";

/** Who commits may be said by the environment (build servers do); it names people, it starts nothing. */
const identity = new Set(["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]);

/** What git itself looks at to find its settings, and to tell times and where to put temporary files. */
const needed = new Set(["HOME", "USER", "LOGNAME", "XDG_CONFIG_HOME", "TMPDIR", "TZ", "SYSTEMROOT", "TEMP", "TMP"]);

/** For questions, made anew from the caller's: no variable steers git, no transport is allowed, so a partial clone cannot start a fetch. */
export function readingEnvironment(cwd: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = selected(cwd, env, (name) => needed.has(name));
  return { ...kept, ...quiet, ...unreplaced, GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1", LC_ALL: "C" };
}

/** Variables that make programs load code, or that a package manager set for the script it runs. */
const loads =
  /^(?:LD_|DYLD_|NPM_|NODE_OPTIONS$|NODE_PATH$|BASH_ENV$|ENV$|PYTHON(?:PATH|STARTUP|HOME)$|PERL5|RUBYOPT$|RUBYLIB$)/;

/**
 * For changes: as the person's own shell would have it, but never waiting for an editor, a pager or a prompt. Hooks carry
 * the mark of agents: an agent may have put them there, and no hook decides anything.
 */
export function writingEnvironment(cwd: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = selected(cwd, env, (name) => identity.has(name) || (!/^(?:GIT|ISDLC)_/.test(name) && !loads.test(name)));
  return { ...kept, ...quiet, ...unreplaced, ISDLC_AGENT: "1" };
}

const quiet = { GIT_EDITOR: "true", GIT_SEQUENCE_EDITOR: "true", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/** An object is what its id says, whatever stands in its place under refs/replace or in a file of grafts. */
const unreplaced = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };

/** The folder in which git looks for what a person set. */
export const homeOf = (env: NodeJS.ProcessEnv): string => env["HOME"] || homedir();

/** With a PATH in which the repository has no say. */
function selected(cwd: string, env: NodeJS.ProcessEnv, keep: (name: string) => boolean): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => keep(name.toUpperCase()));
  return { ...Object.fromEntries(kept), PATH: trustedPath(env["PATH"] ?? "", cwd) };
}
