import { nodeFiles } from "../../../src/adapters/files/file-system.ts";
import { writingEnvironment } from "../../../src/adapters/git/process/git-environment.ts";
import { type GitResult, runGit } from "../../../src/adapters/git/process/run-git.ts";
import { countPacks, fetchWithin, removeLeftFetches } from "./fetch-within.ts";
import { userFolders } from "../../../src/adapters/files/user-folders.ts";
import { readUserSettings } from "../../../src/adapters/files/user-settings.ts";

/** Git in a bare repository out of reach of agents, with the user's credentials and network settings. */
export type NetworkGit = (args: readonly string[], options?: NetworkGitOptions) => Promise<GitResult>;

export type NetworkGitOptions = {
  readonly input?: Buffer;
  readonly environment?: NodeJS.ProcessEnv;
  /** Ends the command and the programs that it started. */
  readonly signal?: AbortSignal;
};

const NETWORK_TIMEOUT_MS = 15 * 60_000; // a first fetch can be large
/** For commands that transfer only names. */
const LISTING_TIMEOUT_MS = 60_000;

const FIXED_SETTINGS = [
  "core.hooksPath=/dev/null",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.ext.allow=never",
  "push.followTags=false",
  "submodule.recurse=false",
];

/** isdlc reads some refs directly from files. Newer git versions use this format only on request. */
export const REFS_AS_FILES = { GIT_DEFAULT_REF_FORMAT: "files", GIT_DEFAULT_HASH: "sha1" } as const;

export type NetworkLimits = {
  /** Time limit of a command in milliseconds. */
  readonly limitMs?: number;
  /** Maximum size of the repository's packs after a fetch. */
  readonly maxBytes?: number;
};

/**
 * Creates the git runner. Hooks and automatic maintenance are disabled. A fetch that exceeds the size limit is stopped
 * and throws a ProblemError COPY_TOO_LARGE.
 */
export function createNetworkGit(folder: string, env: NodeJS.ProcessEnv, limits: NetworkLimits = {}): NetworkGit {
  const { limitMs = NETWORK_TIMEOUT_MS, maxBytes } = limits;
  const { settings } = readUserSettings(userFolders(env).config, nodeFiles);
  const always = writingEnvironment(folder, env, settings["git-variables"]);
  const runIn = (cwd: string, args: readonly string[], options: NetworkGitOptions): Promise<GitResult> =>
    runGit({
      cwd,
      args: ["--no-pager", ...FIXED_SETTINGS.flatMap((setting) => ["-c", setting]), ...args],
      environment: { ...always, ...options.environment },
      timeoutMs: args[0] === "ls-remote" ? Math.min(limitMs, LISTING_TIMEOUT_MS) : limitMs,
      ...(options.input && { input: options.input }),
      ...(options.signal && { signal: options.signal }),
    });
  const run: NetworkGit = (args, options = {}) => runIn(folder, args, options);
  if (maxBytes === undefined) return run;
  removeLeftFetches(folder);
  return async (args, options) => {
    if (args[0] !== "fetch") return run(args, options);
    const fetched = await fetchWithin({ folder, maxBytes }, args, (cwd, own, signal) =>
      runIn(cwd, [...AS_PACK, ...own], { ...options, ...(signal && { signal }) }),
    );
    if (countPacks(folder) > MAX_PACKS) await run(["repack", "--geometric=2", "-d", "--quiet"]); // a concurrent one may win
    return fetched;
  };
}

/** The size of a fetch is then the size of its pack. */
const AS_PACK = ["-c", "fetch.unpackLimit=1"];
const MAX_PACKS = 50;
