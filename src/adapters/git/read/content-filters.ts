import { join } from "node:path";
import type { Git } from "../process/git.ts";
import { homeFolder } from "../process/git-environment.ts";
import { splitFields } from "../process/git-path.ts";
import type { Repository } from "./repository.ts";

/** Environment variables that disable the configured content filters. */
export type Filterless = Readonly<Record<string, string>>;

/** Returns variables that empty every content filter named in the git configuration. */
export async function withoutFilters(git: Git): Promise<Filterless> {
  const names = splitFields((await git(["config", "--name-only", "-z", "--list"])).stdout);
  return emptied(names.map((name) => name.toString("utf8")));
}

/** User settings that affect which files count as changed. Scans use fixed values for all other settings. */
export type LookSettings = Readonly<Record<string, string>>;

const KEPT = new Set(["core.autocrlf", "core.eol", "core.excludesfile", "core.attributesfile"]);

/** Returns the settings that affect a working tree, with the last value of each name. */
export const lookSettings = (settings: readonly { readonly key: string; readonly value: string }[]): LookSettings =>
  Object.fromEntries(settings.filter(({ key }) => KEPT.has(key)).map(({ key, value }) => [key, value]));

/** Lists the usual files of git settings. They may not exist yet. */
export function settingsFiles({ gitDir, env }: Repository): string[] {
  return [
    join(gitDir, "config"),
    join(gitDir, "config.worktree"),
    join(homeFolder(env), ".gitconfig"),
    join(personalFolder(env), "config"),
    "/etc/gitconfig",
  ];
}

/** Returns the folder of the user's git settings for all repositories. */
export const personalFolder = (env: NodeJS.ProcessEnv): string =>
  join(env["XDG_CONFIG_HOME"] || join(homeFolder(env), ".config"), "git");

/** Passes names as GIT_CONFIG_KEY_n: they come from the repository and may contain `=`, which `-c` would misread. */
export function emptied(names: readonly string[]): Filterless {
  const filters = new Set(names.flatMap((name) => /^filter\.(.*)\.[^.]*$/s.exec(name)?.[1] ?? []));
  const settings = [...filters].flatMap((name) => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.required`, "false"],
  ]);
  return Object.fromEntries([
    ["GIT_CONFIG_COUNT", String(settings.length)],
    ...settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]) as Filterless; // entries are pairs of strings
}
