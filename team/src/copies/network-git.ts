import { nodeFiles } from "../../../src/adapters/files/file-system.ts";
import { writingEnvironment } from "../../../src/adapters/git/process/git-environment.ts";
import { type GitResult, runGit } from "../../../src/adapters/git/process/run-git.ts";
import { userFolders } from "../../../src/adapters/files/user-folders.ts";
import { readUserSettings } from "../../../src/adapters/files/user-settings.ts";

/** Git in a bare repository out of reach of agents, with the user's credentials and network settings. */
export type NetworkGit = (args: readonly string[], options?: NetworkGitOptions) => Promise<GitResult>;

export type NetworkGitOptions = { readonly input?: Buffer; readonly environment?: NodeJS.ProcessEnv };

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

/** Creates the git runner. Hooks and automatic maintenance are disabled. `limitMs`: time limit of a command. */
export function createNetworkGit(folder: string, env: NodeJS.ProcessEnv, limitMs = NETWORK_TIMEOUT_MS): NetworkGit {
  const { settings } = readUserSettings(userFolders(env).config, nodeFiles);
  const always = writingEnvironment(folder, env, settings["git-variables"]);
  return (args, { input, environment } = {}) =>
    runGit({
      cwd: folder,
      args: ["--no-pager", ...FIXED_SETTINGS.flatMap((setting) => ["-c", setting]), ...args],
      environment: { ...always, ...environment },
      timeoutMs: args[0] === "ls-remote" ? Math.min(limitMs, LISTING_TIMEOUT_MS) : limitMs,
      ...(input && { input }),
    });
}
