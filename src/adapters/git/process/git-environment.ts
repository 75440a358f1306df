/** Who commits may be said by the environment (build servers do); it names people, it starts nothing. */
const identity = new Set(["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]);

/** For questions: no variable steers git, no transport is allowed, so a partial clone cannot start a fetch. */
export function readingEnvironment(): NodeJS.ProcessEnv {
  return {
    ...scrubbed(() => false),
    ...quiet,
    ...unreplaced,
    GIT_ALLOW_PROTOCOL: "none",
    GIT_NO_LAZY_FETCH: "1",
    LC_ALL: "C",
  };
}

/**
 * For changes: as the person's own shell would have it, but never waiting for an editor, a pager or a prompt. Hooks carry
 * the mark of agents: an agent may have put them there, and no hook decides anything.
 */
export function writingEnvironment(): NodeJS.ProcessEnv {
  return { ...scrubbed((name) => identity.has(name)), ...quiet, ...unreplaced, ISDLC_AGENT: "1" };
}

const quiet = { GIT_EDITOR: "true", GIT_SEQUENCE_EDITOR: "true", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };

/** An object is what its id says, whatever stands in its place under refs/replace or in a file of grafts. */
const unreplaced = { GIT_NO_REPLACE_OBJECTS: "1", GIT_GRAFT_FILE: "/dev/null/none" };

function scrubbed(keep: (name: string) => boolean): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => keep(name.toUpperCase()) || !/^(GIT|ISDLC)_/i.test(name));
  return { ...Object.fromEntries(kept), PATH: absoluteEntries(process.env["PATH"] ?? "") };
}

/** A relative entry would let the repository supply the program. */
export function absoluteEntries(path: string): string {
  const separator = process.platform === "win32" ? ";" : ":";
  const isAbsolute = (entry: string) => entry.startsWith("/") || /^[A-Za-z]:[\\/]/.test(entry);
  return path.split(separator).filter(isAbsolute).join(separator);
}
