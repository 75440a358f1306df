import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  executablesIn,
  type RepositoryHook,
  type RepositoryPrograms,
  repositoryPrograms,
} from "./repository-programs.ts";
import type { Git, GitOptions } from "../process/git.ts";
import { writingEnvironment } from "../process/git-environment.ts";
import { type GitResult, runGit } from "../process/run-git.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import type { GitProgram } from "../../../ports/vcs.ts";
import { shellWord } from "../../../core/command-line.ts";

/** Approval of repository commands: true if a person agreed to this one. */
export type Allows = (program: GitProgram) => boolean;

export const allowsNothing: Allows = () => false;

/** The caller of a git change: its environment, and the repository commands it agreed to. */
export type GitCaller = {
  readonly env: NodeJS.ProcessEnv;
  readonly allows: Allows;
  /** Names of additional variables for hooks and filters. */
  readonly variables?: readonly string[] | undefined;
};

/** Long, because hooks run tests and linters. */
const writeTimeoutMs = 15 * 60_000;

/**
 * Creates a git for changes requested by a person: the user's hooks, filters and signing apply. Repository commands
 * may be written by an agent and run only if a person agreed to them. Submodules are not entered.
 */
export function personalGit(cwd: string, { env, allows, variables }: GitCaller): Git {
  return async (args, options) => {
    const programs = await repositoryPrograms(cwd, env);
    const { refused, hooks } = judged(programs, allows);
    const call = (folder: string): Promise<GitResult> => {
      const settings = [...overrideSettings(refused, programs.own), ["core.hookspath", folder] as const];
      const always = writingEnvironment(cwd, env, variables);
      const environment = { ...always, ...asEnvironment(settings), ...options?.environment };
      return start(cwd, args, { ...options, environment });
    };
    if (hooks.written.every(allows)) return call(hooks.folder);
    return inTemporaryFolder(async (folder) => {
      for (const hook of hooks.written.filter(allows)) await writeCaller(folder, hook);
      return call(folder);
    });
  };
}

/** Returns the settings without approval, and the folder where git finds hooks without these settings. */
function judged(programs: RepositoryPrograms, allows: Allows) {
  const refused = programs.settings.filter((setting) => setting.isComeBy && !allows(setting)).map(({ key }) => key);
  return { refused, hooks: refused.includes("core.hookspath") ? programs.usualHooks : programs.hooks };
}

/** Returns true if any hook would run in a change requested by a person. */
export async function hasHooks(cwd: string, { env, allows }: GitCaller): Promise<boolean> {
  const programs = await repositoryPrograms(cwd, env);
  const { hooks } = judged(programs, allows);
  const isSet =
    programs.settings.some(({ key }) => key.startsWith("hook.")) ||
    [...programs.own.keys()].some((key) => key.startsWith("hook."));
  return isSet || (hooks.written.length > 0 ? hooks.written.some(allows) : executablesIn(hooks.folder).length > 0);
}

type Start = Omit<GitOptions, "environment"> & { readonly environment: NodeJS.ProcessEnv };

function start(cwd: string, args: readonly string[], options: Start): Promise<GitResult> {
  return runGit({
    cwd,
    args: ["--no-pager", "-c", "advice.detachedHead=false", "-c", "submodule.recurse=false", ...args],
    timeoutMs: options.timeoutMs ?? writeTimeoutMs,
    environment: options.environment,
    runsHooks: true,
    ...(options.input && { input: options.input }),
  });
}

type GitSetting = readonly [key: string, value: string];

/**
 * Replacements for settings without approval, if the user has no value for them. Without a replacement, the setting is
 * emptied.
 */
const INSTEAD: readonly (readonly [RegExp, string])[] = [
  [/^core\.fsmonitor$/, "false"],
  [/^core\.sshcommand$/, "ssh"],
  [/^merge\..*\.driver$/, "git merge-file --marker-size=%L %A %O %B"],
  [/^gpg\.(?:openpgp\.)?program$/, "gpg"],
  [/^gpg\.x509\.program$/, "gpgsm"],
  [/^gpg\.format$/, "openpgp"],
  [/^gpg\.ssh\.program$/, "ssh-keygen"],
  [/^hook\..*\.command$/, "true"],
  [/^remote\..*\.uploadpack$/, "git-upload-pack"],
  [/^remote\..*\.receivepack$/, "git-receive-pack"],
];

/** Returns git's own default. Without a key, git signs with the key for the user's address. */
function usualValue(key: string, own: RepositoryPrograms["own"]): string {
  if (key === "user.signingkey") return own.get("user.email")?.at(-1) ?? "";
  return INSTEAD.find(([pattern]) => pattern.test(key))?.[1] ?? "";
}

/** Returns overrides that replace settings without approval by the user's own values. */
function overrideSettings(refused: readonly string[], own: RepositoryPrograms["own"]): GitSetting[] {
  const keys = new Set(refused.filter((key) => key !== "core.hookspath"));
  return [...keys].flatMap((key): GitSetting[] => {
    const usual = usualValue(key, own);
    const emptied = key.startsWith("credential.") ? [""] : []; // git asks all helpers; an empty value clears the list
    const values = [...emptied, ...(own.get(key) ?? [usual])].map((value): GitSetting => [key, value]);
    const required = /^(filter\..*\.)[^.]*$/s.exec(key)?.[1]?.concat("required");
    return required === undefined ? values : [...values, [required, own.get(required)?.at(-1) ?? "false"]];
  });
}

/** Passes settings through variables: names come from the repository and may contain `=`, which `-c` would misread. */
function asEnvironment(settings: readonly GitSetting[]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

/** Writes a script that starts the hook at its original path, because hooks look for scripts next to themselves. */
async function writeCaller(folder: string, { hook, file }: RepositoryHook): Promise<void> {
  const caller = join(folder, hook);
  await writeFile(caller, `#!/bin/sh\nexec ${shellWord(file)} "$@"\n`);
  await chmod(caller, 0o700);
}
