import { join, resolve } from "node:path";
import { stampOf } from "../snapshot/file-stamp.ts";
import { hardenedGit } from "./git.ts";
import type { Git } from "./git.ts";
import { homeOf } from "./git-environment.ts";
import { splitFields } from "./git-path.ts";
import type { Repository } from "../read/repository.ts";

/** Environment of a call that no content filter of the configuration takes part in. */
export type Filterless = Readonly<Record<string, string>>;

/** Environment that empties every content filter the configuration names. */
export async function withoutFilters(git: Git): Promise<Filterless> {
  return emptied((await readSettings(git)).names);
}

/** Settings of the person that say what counts as a change; everything else is fixed where the tree is looked at. */
export type LookSettings = Readonly<Record<string, string>>;

const KEPT = new Set(["core.autocrlf", "core.eol", "core.excludesfile", "core.attributesfile"]);

/** Those of one repository, asked for again only when a configuration file has changed. */
export function rememberSettings(repository: Repository): () => Promise<LookSettings> {
  const git = hardenedGit(repository.top, repository.env);
  const usual = settingsFiles(repository);
  let files = usual;
  let known: { readonly stamp: string; readonly settings: LookSettings } | null = null;
  return async () => {
    const stamp = stampOf(files);
    if (known?.stamp === stamp) return known.settings;
    const { names, origins, values } = await readSettings(git);
    files = [...new Set([...usual, ...origins.map((file) => resolve(repository.top, file))])];
    const settings = Object.fromEntries([...values].filter(([name]) => KEPT.has(name)));
    known = names.some(isInclude) ? null : { stamp, settings };
    return settings;
  };
}

/** Where settings usually are, or may appear. */
export function settingsFiles({ gitDir, env }: Repository): string[] {
  return [
    join(gitDir, "config"),
    join(gitDir, "config.worktree"),
    join(homeOf(env), ".gitconfig"),
    join(personalFolder(env), "config"),
    "/etc/gitconfig",
  ];
}

/** Where git has what a person set for all repositories. */
export const personalFolder = (env: NodeJS.ProcessEnv): string =>
  join(env["XDG_CONFIG_HOME"] || join(homeOf(env), ".config"), "git");

type Settings = {
  readonly names: readonly string[];
  readonly origins: readonly string[];
  readonly values: ReadonlyMap<string, string>;
};

async function readSettings(git: Git): Promise<Settings> {
  const listed = splitFields((await git(["config", "--show-origin", "-z", "--list"])).stdout);
  const texts = listed.map((field) => field.toString("utf8"));
  const origins = texts
    .filter((_, index) => index % 2 === 0)
    .flatMap((origin) => /^file:(.*)$/s.exec(origin)?.[1] ?? []);
  const pairs = texts
    .filter((_, index) => index % 2 === 1)
    .map((text): [string, string] => {
      const [name = "", ...value] = text.split("\n");
      return [name, value.join("\n")];
    });
  return { names: pairs.map(([name]) => name), origins: [...new Set(origins)], values: new Map(pairs) };
}

/** What it leads to may depend on the branch, and may appear later. */
const isInclude = (name: string): boolean => /^include(?:if)?\./i.test(name);

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
