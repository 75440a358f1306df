import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { stampOf } from "../snapshot/file-stamp.ts";
import { hardenedGit } from "./git.ts";
import type { Git } from "./git.ts";
import { splitFields } from "./git-path.ts";
import type { Repository } from "../read/repository.ts";

/** Environment of a call that no content filter of the configuration takes part in. */
export type Filterless = Readonly<Record<string, string>>;

/** Environment that empties every content filter the configuration names. */
export async function withoutFilters(git: Git): Promise<Filterless> {
  return emptied((await readSettings(git)).names);
}

/** The same for one repository, asked again only when a configuration file has changed. */
export function rememberFilters(repository: Repository): () => Promise<Filterless> {
  const git = hardenedGit(repository.top);
  const usual = settingsFiles(repository);
  let files = usual;
  let known: { readonly stamp: string; readonly filterless: Filterless } | null = null;
  return async () => {
    const stamp = stampOf(files);
    if (known?.stamp === stamp) return known.filterless;
    const { names, origins } = await readSettings(git);
    files = [...new Set([...usual, ...origins.map((file) => resolve(repository.top, file))])];
    const filterless = emptied(names);
    known = names.some(isInclude) ? null : { stamp, filterless };
    return filterless;
  };
}

/** Where settings usually are, or may appear. */
export function settingsFiles({ gitDir }: Repository): string[] {
  return [
    join(gitDir, "config"),
    join(gitDir, "config.worktree"),
    join(homedir(), ".gitconfig"),
    join(personalFolder(), "config"),
    "/etc/gitconfig",
  ];
}

/** Where git has what a person set for all repositories. */
export const personalFolder = (): string => join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git");

type Settings = { readonly names: readonly string[]; readonly origins: readonly string[] };

async function readSettings(git: Git): Promise<Settings> {
  const listed = splitFields((await git(["config", "--show-origin", "--name-only", "-z", "--list"])).stdout);
  const texts = listed.map((field) => field.toString("utf8"));
  const origins = texts
    .filter((_, index) => index % 2 === 0)
    .flatMap((origin) => /^file:(.*)$/s.exec(origin)?.[1] ?? []);
  return { names: texts.filter((_, index) => index % 2 === 1), origins: [...new Set(origins)] };
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
