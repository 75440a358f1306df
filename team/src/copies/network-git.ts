import { nodeFiles } from "../../../src/adapters/file-system/file-system.ts";
import { writingEnvironment } from "../../../src/adapters/git/process/git-environment.ts";
import { type GitResult, runGit } from "../../../src/adapters/git/process/run-git.ts";
import { userFolders } from "../../../src/adapters/user-files/user-folders.ts";
import { readUserSettings } from "../../../src/adapters/user-files/user-settings.ts";

/** Git in a bare repository that no agent can write to, with the credentials and network settings of the user. */
export type NetworkGit = (args: readonly string[], options?: NetworkGitOptions) => Promise<GitResult>;

export type NetworkGitOptions = { readonly input?: Buffer; readonly environment?: NodeJS.ProcessEnv };

const NETWORK_TIMEOUT_MS = 15 * 60_000; // a first fetch may be long

const FIXED_SETTINGS = [
  "core.hooksPath=/dev/null",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.ext.allow=never",
  "push.followTags=false",
  "submodule.recurse=false",
];

/** Refs are read without git in places, from the files that newer versions write only on request. */
export const REFS_AS_FILES = { GIT_DEFAULT_REF_FORMAT: "files", GIT_DEFAULT_HASH: "sha1" } as const;

/** Runs no hooks and no automatic maintenance. */
export function createNetworkGit(folder: string, env: NodeJS.ProcessEnv): NetworkGit {
  const { settings } = readUserSettings(userFolders(env).config, nodeFiles);
  const always = writingEnvironment(folder, env, settings["git-variables"]);
  return (args, { input, environment } = {}) =>
    runGit({
      cwd: folder,
      args: ["--no-pager", ...FIXED_SETTINGS.flatMap((setting) => ["-c", setting]), ...args],
      environment: { ...always, ...environment },
      timeoutMs: NETWORK_TIMEOUT_MS,
      ...(input && { input }),
    });
}
