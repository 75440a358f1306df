import { join } from "node:path";
import type { Git } from "./git.ts";
import { homeFolder } from "./git-environment.ts";
import { splitFields } from "./git-path.ts";
import type { Repository } from "../read/repository.ts";

/** Environment of a call that no content filter of the configuration takes part in. */
export type Filterless = Readonly<Record<string, string>>;

/** Environment that empties every content filter the configuration names. */
export async function withoutFilters(git: Git): Promise<Filterless> {
  const names = splitFields((await git(["config", "--name-only", "-z", "--list"])).stdout);
  return emptied(names.map((name) => name.toString("utf8")));
}

/** Settings of the person that say what counts as a change; everything else is fixed where the tree is looked at. */
export type LookSettings = Readonly<Record<string, string>>;

const KEPT = new Set(["core.autocrlf", "core.eol", "core.excludesfile", "core.attributesfile"]);

/** Those among all settings that count in a working tree, the last of each name. */
export const lookSettings = (settings: readonly { readonly key: string; readonly value: string }[]): LookSettings =>
  Object.fromEntries(settings.filter(({ key }) => KEPT.has(key)).map(({ key, value }) => [key, value]));

/** Where settings usually are, or may appear. */
export function settingsFiles({ gitDir, env }: Repository): string[] {
  return [
    join(gitDir, "config"),
    join(gitDir, "config.worktree"),
    join(homeFolder(env), ".gitconfig"),
    join(personalFolder(env), "config"),
    "/etc/gitconfig",
  ];
}

/** Where git has what a person set for all repositories. */
export const personalFolder = (env: NodeJS.ProcessEnv): string =>
  join(env["XDG_CONFIG_HOME"] || join(homeFolder(env), ".config"), "git");

/** The names come from the repository and may hold `=`, which `-c` would misread, so they travel as GIT_CONFIG_KEY_n. */
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
  ]) as Filterless; // built from pairs of strings just above
}
